// The page of a contact problem: its constraints as balls, coupled ones joined by lines.

import { Box3, BufferAttribute, BufferGeometry, Color, InstancedMesh, LineBasicMaterial, LineSegments, Matrix4, MeshStandardMaterial, SphereGeometry, Vector3 } from "three";

import { kNoValue, kPicked, kStateColours, residualShare, scaleColour, scaleGradient } from "./colours";
import { Columns } from "./columns";
import { addToggles, choose, escaped, onClick, onKey, part, ramp, swatches } from "./page";
import { shortNumber } from "./plots";
import type { Stage } from "./stage";

export interface GraphHead {
  kind: "graph"; title: string; note: string; nodes: number; edges: number; edgeEvery: number; graph: number;
  residual: { scaled: number; relative: number; absolute: number };
}

export interface NodeNumbers { node: number; state: string; reaction: number[]; velocity: number[]; friction: number; residual: number; neighbours: number[] }

const kColourings = ["residual", "state", "force"] as const;
const kStateNames = ["open", "sticks", "slips", "bilateral"];
const kRadius = 0.42;  // of the largest ball; coupled ones lie about 1 apart

export class GraphView {
  private colouring: (typeof kColourings)[number] = "residual";
  private picked = -1;
  private numbers: Float32Array[] = [];  // place (3), R (3), U (3), friction, residual
  private state = new Uint32Array();
  private from = new Uint32Array();
  private to = new Uint32Array();
  private most = 1;  // the largest R_n
  private balls!: InstancedMesh;
  private lines!: LineSegments;

  constructor(readonly head: GraphHead, private readonly stage: Stage) {}

  async start(): Promise<void> {
    const packed = await Columns.of(this.head.graph);
    this.numbers = Array.from({ length: 11 }, () => packed.floats(this.head.nodes));
    this.state = packed.bits(this.head.nodes);
    this.from = packed.bits(this.head.edges);
    this.to = packed.bits(this.head.edges);
    this.most = this.numbers[5].reduce((most, force) => Math.max(most, force), 0);
    this.addBalls();
    this.addLines();
    this.startControls();
    this.stage.ground.visible = false;
    this.refresh();
  }

  private placeOf(node: number): Vector3 {
    return new Vector3(this.numbers[0][node], this.numbers[1][node], this.numbers[2][node]);
  }

  private addBalls(): void {
    const box = new Box3();
    this.balls = new InstancedMesh(new SphereGeometry(1, 20, 14), new MeshStandardMaterial({ roughness: 0.6 }), this.head.nodes);
    const matrix = new Matrix4();
    for (let node = 0; node < this.head.nodes; ++node) {
      const share = Math.sqrt(Math.max(this.numbers[5][node], 0) / (this.most || 1));
      const radius = kRadius * (0.35 + 0.65 * share), place = this.placeOf(node);
      this.balls.setMatrixAt(node, matrix.makeScale(radius, radius, radius).setPosition(place));
      box.expandByPoint(place);
    }
    this.balls.castShadow = this.balls.receiveShadow = true;
    this.stage.scene.add(this.balls);
    this.stage.frame(box.expandByScalar(1));
  }

  private addLines(): void {
    const ends = new Float32Array(6 * this.head.edges);
    for (let edge = 0; edge < this.head.edges; ++edge) {
      this.placeOf(this.from[edge]).toArray(ends, 6 * edge);
      this.placeOf(this.to[edge]).toArray(ends, 6 * edge + 3);
    }
    const geometry = new BufferGeometry().setAttribute("position", new BufferAttribute(ends, 3));
    const opacity = Math.min(0.5, Math.max(0.06, 300 / Math.sqrt(this.head.edges + 1) / 10));
    this.lines = new LineSegments(geometry, new LineBasicMaterial({ color: "#5d6a74", transparent: true, opacity }));
    this.stage.scene.add(this.lines);
  }

  private startControls(): void {
    const { scaled, relative } = this.head.residual;
    part("note").textContent = `${this.head.nodes} constraints · ${this.head.note} · residual scaled ${scaled.toExponential(2)}, relative ${relative.toExponential(2)}`;
    choose("body-colour", kColourings, this.colouring, (name) => { this.colouring = name; this.refresh(); });
    part("contact-colour").parentElement!.hidden = true;
    part("body-colour").previousSibling!.textContent = "contacts ";
    addToggles([{ key: "e", name: "couplings", get: () => this.lines.visible, set: (on) => { this.lines.visible = on; this.stage.redraw(); } }]);
    onKey("Escape", "pick nothing", () => this.pick(-1));
    onClick(this.stage.renderer.domElement, (x, y) => this.pick(this.stage.ray(x, y).intersectObject(this.balls)[0]?.instanceId ?? -1));
  }

  pick(node: number): void {
    this.picked = node;
    this.refresh();
  }

  numbersOf(node: number): NodeNumbers {
    const at = (first: number) => [0, 1, 2].map((k) => this.numbers[first + k][node]);
    const neighbours: number[] = [];
    this.from.forEach((a, edge) => {
      if (a === node) neighbours.push(this.to[edge]); else if (this.to[edge] === node) neighbours.push(a);
    });
    return { node, state: kStateNames[this.state[node]], reaction: at(3), velocity: at(6), friction: this.numbers[9][node], residual: this.numbers[10][node], neighbours };
  }

  private refresh(): void {
    const colour = new Color();
    for (let node = 0; node < this.head.nodes; ++node) this.balls.setColorAt(node, node === this.picked ? kPicked : this.colourOf(node, colour));
    this.balls.instanceColor!.needsUpdate = true;
    this.showPicked();
    const states = kStateNames.map((name, k) => [name, `#${kStateColours[k].getHexString()}`] as [string, string]);
    part("legend").innerHTML = (this.colouring === "state" ? swatches("", states)
      : this.colouring === "force" ? ramp("R_n", "0", this.most.toPrecision(3), scaleGradient())
      : ramp("residual by contact", "1e-12", "1e-2", scaleGradient())) + "<div>larger balls carry larger R_n</div>" +
      (this.head.edgeEvery > 1 ? `<div>every ${this.head.edgeEvery}th coupling is drawn</div>` : "");
    this.stage.redraw();
  }

  private colourOf(node: number, into: Color): Color {
    switch (this.colouring) {
      case "state": return kStateColours[this.state[node]];
      case "force": return scaleColour(Math.sqrt(Math.max(this.numbers[5][node], 0) / (this.most || 1)), into);
      case "residual": return this.numbers[10][node] > 0 ? scaleColour(residualShare(this.numbers[10][node]), into) : kNoValue;
    }
  }

  private showPicked(): void {
    const panel = part("picked");
    panel.hidden = this.picked < 0;
    if (this.picked < 0) return;
    const it = this.numbersOf(this.picked), row = (name: string, value: string) => `<tr><th>${name}</th><td>${escaped(value)}</td></tr>`;
    panel.innerHTML = `<h2>contact ${it.node}</h2><table>${row("state", it.state)}${row("R (t1, t2, n)", it.reaction.map(shortNumber).join(", "))}` +
      `${row("U (t1, t2, n)", it.velocity.map((u) => u.toExponential(2)).join(", "))}${row("friction", shortNumber(it.friction))}` +
      `${row("residual", it.residual.toExponential(2))}${row("coupled with", String(it.neighbours.length))}</table>`;
  }
}
