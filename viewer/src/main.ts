// The page: reads the head of its data, and shows a run or a contact problem. `window.locdyn` is for whoever drives it
// by a program: tests, notebooks.

import "./page.css";

import { GraphHead, GraphView } from "./graph_view";
import { choose, onKey, part, startKeys, tellFault } from "./page";
import { RunData, RunHead } from "./run_data";
import { RunView } from "./run_view";
import { kPresets, Stage } from "./stage";

const kSlow = 0.12, kPatience = 4;  // pictures that take longer [s], and how many until shadows go

class Clock {
  pictures = 0;
  private slow = 0;
  private last = 0;

  constructor(private readonly stage: Stage, private readonly view: RunView | undefined) {}

  run(): void {
    const turn = (now: number) => {
      this.view?.player.advance(now);
      if (this.stage.draw()) ++this.pictures;
      this.watch(now);
      requestAnimationFrame(turn);
    };
    requestAnimationFrame(turn);
  }

  // Where no GPU draws, shadows cost the most.
  private watch(now: number): void {
    const took = (now - this.last) / 1000;
    this.last = now;
    if (!this.view?.player.playing || !this.stage.shadows) return;
    if (took > kSlow) ++this.slow;
    if (this.slow === kPatience) document.querySelector<HTMLElement>("[data-layer=shadows]")?.click();
  }
}

function headOf(): RunHead | GraphHead {
  const element = document.getElementById("head");
  if (!element) throw new Error("page: expected data beside the viewer, found none");
  return JSON.parse(element.textContent!);
}

async function start(): Promise<object> {
  const head = headOf();
  document.title = part("title").textContent = head.title;
  const stage = new Stage(part<HTMLCanvasElement>("canvas"));
  const looks = Object.entries(kPresets);
  choose("preset", looks.map(([, look]) => look.name), "corner", (name) => stage.look(looks.find(([, look]) => look.name === name)![0]));
  const view = head.kind === "run" ? new RunView(new RunData(head), stage) : new GraphView(head, stage);
  await view.start();
  for (const [key, look] of looks) onKey(key, `camera: ${look.name}`, () => stage.look(key));
  startKeys();
  const clock = new Clock(stage, view instanceof RunView ? view : undefined);
  clock.run();
  return { head, stage, view, clock };
}

declare global { interface Window { locdyn: Promise<object> } }
window.locdyn = start();
window.locdyn.catch(tellFault);
