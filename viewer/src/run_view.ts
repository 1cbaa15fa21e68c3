// The page of a run: bodies, contacts, plots and the time line, and what the reader does with them.

import { BodiesView, BodyColouring, kBodyColourings, speeds } from "./bodies_view";
import { kAsleep, kAwake, kStateColours, scaleGradient } from "./colours";
import { ContactColouring, ContactsView, kContactColourings } from "./contacts_view";
import { addToggles, choose, onClick, onKey, part, ramp, swatches, tellFault } from "./page";
import { BodyNumbers, contactsOf, showPicked } from "./picked";
import { Player } from "./player";
import { Plots } from "./plots";
import type { Contacts, Placement, RunData } from "./run_data";
import type { Stage } from "./stage";

const kSpeeds = ["0.1", "0.25", "0.5", "1", "2", "5"] as const;

export class RunView {
  readonly player: Player;
  private bodies!: BodiesView;
  private contactsView!: ContactsView;
  private plots?: Plots;
  private place!: Placement;
  private before?: Placement;
  private contacts?: Contacts;
  private shown = -1;
  private showing?: Promise<void>;

  constructor(readonly run: RunData, private readonly stage: Stage) {
    this.player = new Player(run.head.times, () => this.follow());
  }

  async start(): Promise<void> {
    this.place = await this.run.placement(0);
    const extent = extentOf(this.place);
    this.bodies = new BodiesView(this.run, this.stage.scene, extent);
    this.contactsView = new ContactsView(this.run, this.stage.scene, this.medianSize(extent));
    this.stage.frame(this.bodies.box(this.place));
    this.startControls();
    await this.showFrame(0);
    const table = await this.run.table();
    if (table) {
      part("plots").hidden = false;
      this.plots = new Plots(part("plots"), table, (time) => this.player.seekTime(time));
    }
  }

  private medianSize(extent: number): number {
    const { size, mesh } = this.run.head;
    const sizes = size.filter((_, body) => mesh[body] >= 0 && !this.run.isObstacle(body)).sort((a, b) => a - b);
    return sizes[sizes.length >> 1] ?? 0.05 * extent;
  }

  private startControls(): void {
    const { player, bodies, contactsView, stage } = this;
    const redo = () => this.refresh();
    part("timeline").hidden = false;
    part<HTMLInputElement>("scrubber").max = String(this.run.frames - 1);
    part("scrubber").oninput = () => player.step(Number(part<HTMLInputElement>("scrubber").value) - player.frame);
    const actions: [string, string, string, () => void][] = [
      ["play", " ", "play or pause", () => player.toggle()], ["back", "ArrowLeft", "a frame back", () => player.step(-1)],
      ["forth", "ArrowRight", "a frame on", () => player.step(1)], ["to-start", "Home", "first frame", () => player.step(-this.run.frames)],
    ];
    for (const [id, key, what, act] of actions) {
      part(id).onclick = () => { act(); part(id).blur(); };
      onKey(key, what, act);
    }
    onKey("End", "last frame", () => player.step(this.run.frames));
    onKey("Escape", "pick nothing", () => this.pick(-1));
    choose("speed", kSpeeds.map((speed) => `× ${speed}`), "× 1", (speed) => { player.speed = Number(speed.slice(2)); });
    choose<BodyColouring>("body-colour", kBodyColourings, "body", (name) => { bodies.colouring = name; redo(); });
    choose<ContactColouring>("contact-colour", kContactColourings, "state", (name) => { contactsView.colouring = name; redo(); });
    addToggles([
      { key: "f", name: "force chains", get: () => contactsView.chains, set: (on) => { contactsView.chains = on; bodies.faint = on; redo(); } },
      { key: "n", name: "cones", get: () => contactsView.cones, set: (on) => { contactsView.cones = on; redo(); } },
      { key: "c", name: "contacts", get: () => contactsView.points, set: (on) => { contactsView.points = on; redo(); } },
      { key: "s", name: "shadows", get: () => stage.shadows, set: (on) => { stage.shadows = on; } },
      { key: "g", name: "grid", get: () => stage.ground.visible, set: (on) => { stage.ground.visible = on; stage.redraw(); } },
    ]);
    onClick(stage.renderer.domElement, (x, y) => this.pick(bodies.pick(stage.ray(x, y))));
  }

  pick(body: number): void {
    this.bodies.picked = body;
    this.refresh();
  }

  /** Shows the frame of the player; where it has gone on meanwhile, that one. Resolves when it is on the stage. */
  follow(): Promise<void> {
    part("play").textContent = this.player.playing ? "❚❚" : "▶";
    this.showing ??= this.catchUp().finally(() => { this.showing = undefined; });
    return this.showing;
  }

  private async catchUp(): Promise<void> {
    try {
      while (this.shown !== this.player.frame) await this.showFrame(this.player.frame);
    } catch (fault) {
      this.player.playing = false;
      this.shown = this.player.frame;
      tellFault(fault);
    }
  }

  private async showFrame(frame: number): Promise<void> {
    this.place = await this.run.placement(frame);
    this.before = frame > 0 ? await this.run.placement(frame - 1) : undefined;
    this.contacts = await this.run.contacts(frame);
    this.run.prefetch(frame);
    this.shown = frame;
    const { times, steps } = this.run.head;
    part<HTMLInputElement>("scrubber").value = String(frame);
    part("clock").textContent = `${times[frame].toPrecision(5)} s · frame ${frame} of ${this.run.frames - 1} · step ${steps[frame]}`;
    this.plots?.show(times[frame]);
    this.refresh();
  }

  private refresh(): void {
    const { times } = this.run.head, frame = this.shown;
    this.bodies.show(this.place, this.before, times[frame] - times[frame - 1], this.contacts);
    this.contactsView.show(this.contacts, this.place);
    showPicked(this.bodies.picked < 0 ? undefined : this.numbersOf(this.bodies.picked), (body) => this.pick(body));
    this.showLegend();
    this.stage.redraw();
  }

  /** What the panel shows of a body. */
  numbersOf(body: number): BodyNumbers {
    const { kinds, masses, times } = this.run.head, q = this.place.orientation.slice(4 * body, 4 * body + 4);
    return {
      body, name: this.run.nameOf(body), kind: kinds[body], mass: masses[body], asleep: this.place.asleep[body] === 1,
      position: Array.from(this.place.position.slice(3 * body, 3 * body + 3)), orientation: [q[3], q[0], q[1], q[2]],
      speed: speeds(this.place, this.before, times[this.shown] - times[this.shown - 1])[body],
      contacts: contactsOf(this.run, this.contacts, body),
    };
  }

  get contactRows(): Contacts | undefined { return this.contacts; }
  get frame(): number { return this.shown; }

  private showLegend(): void {
    const lines: string[] = [];
    const residual = (of: string) => ramp(`${of}: residual`, "1e-12", "1e-2", scaleGradient());
    if (this.bodies.colouring === "speed") lines.push(ramp("bodies: speed", "0", "fastest", scaleGradient()));
    if (this.bodies.colouring === "residual") lines.push(residual("bodies"));
    if (this.bodies.colouring === "sleeping") {
      lines.push(swatches("bodies:", [["asleep", `#${kAsleep.getHexString()}`], ["awake", `#${kAwake.getHexString()}`]]));
    }
    if (this.run.head.contacts.length > 0 && (this.contacts?.count ?? 0) > 0) {
      const state = ["open", "sticks", "slips", "pressed"].slice(0, 3).map((name, k) => [name, `#${kStateColours[k].getHexString()}`] as [string, string]);
      if (this.contactsView.colouring === "state") lines.push(swatches("contacts:", state));
      if (this.contactsView.colouring === "force") lines.push(ramp("contacts: R_n", "0", `${this.run.head.force.toPrecision(3)} N`, scaleGradient()));
      if (this.contactsView.colouring === "residual") lines.push(residual("contacts"));
    }
    if (this.run.head.contactEvery > 1) lines.push(`<div>contacts of every ${this.run.head.contactEvery}th frame</div>`);
    part("legend").innerHTML = lines.join("");
  }
}

// Of all places but those of obstacles' origins, which may lie anywhere: a rough size of the scene.
function extentOf(place: Placement): number {
  const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
  place.there.forEach((there, body) => {
    for (let k = 0; there && k < 3; ++k) {
      low[k] = Math.min(low[k], place.position[3 * body + k]);
      high[k] = Math.max(high[k], place.position[3 * body + k]);
    }
  });
  const extent = Math.max(...low.map((value, k) => high[k] - value));
  return extent > 0 && Number.isFinite(extent) ? extent : 1;
}
