// Which frame is shown, and how it moves on: play, speed, steps, the scrubber.

export class Player {
  frame = 0;
  playing = false;
  speed = 1;
  private time = 0;
  private last = 0;
  private readonly rate: number;  // seconds of the run to a second of the clock, at speed 1

  constructor(private readonly times: number[], private readonly changed: () => void) {
    // Real time, unless the whole then takes less than three seconds or more than a minute.
    const lasts = times[times.length - 1] - times[0];
    this.rate = lasts < 3 ? lasts / 6 : lasts > 60 ? lasts / 60 : 1;
    this.time = times[0];
  }

  /** Times of the run a second of the clock. */
  get pace(): number { return this.rate * this.speed; }

  toggle(): void { this.playing ? this.pause() : this.play(); }

  play(): void {
    if (this.frame === this.times.length - 1) this.seek(0);
    this.playing = true;
    this.last = performance.now();
    this.changed();
  }

  pause(): void {
    this.playing = false;
    this.changed();
  }

  step(frames: number): void {
    this.playing = false;
    this.seek(this.frame + frames);
  }

  seek(frame: number): void {
    this.frame = Math.min(Math.max(Math.round(frame), 0), this.times.length - 1);
    this.time = this.times[this.frame];
    this.changed();
  }

  seekTime(time: number): void { this.seek(this.frameAt(time)); }

  /** Goes on by the clock; to be called before each picture. */
  advance(now: number): void {
    if (!this.playing) return;
    this.time += ((now - this.last) / 1000) * this.pace;
    this.last = now;
    const frame = this.frameAt(this.time);
    if (frame >= this.times.length - 1) this.playing = false;
    if (frame === this.frame && this.playing) return;
    this.frame = frame;
    this.changed();
  }

  // The last frame up to `time`.
  private frameAt(time: number): number {
    let low = 0, high = this.times.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.times[middle] <= time + 1e-12) low = middle; else high = middle - 1;
    }
    return low;
  }
}
