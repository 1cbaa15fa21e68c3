// A run as it lies in the page (io/page/run_page.cpp), unpacked chunk by chunk as it plays.

import { Columns } from "./columns";

interface Span { first: number; count: number; chunk: number }

export interface RunHead {
  kind: "run"; title: string;
  unit: number; turn: number; normal: number; force: number;
  times: number[]; steps: number[];
  names: string[]; kinds: string[]; masses: (number | null)[];
  mesh: number[]; size: number[]; scale: number[];
  meshes: { points: string; triangles: string }[];
  motion: Span[]; contacts: Span[]; contactEvery: number;
  table?: { columns: string[]; rows: number; chunk: number };
}

/** Where all bodies are in one frame. */
export interface Placement {
  position: Float64Array;     // 3 a body [m]
  orientation: Float32Array;  // 4 a body, scalar last, as three.js has it
  there: Uint8Array;
  asleep: Uint8Array;
}

export const kStates = ["open", "sticks", "slips", "pressed"] as const;

/** One row a contact; vectors in space, three numbers a row. */
export interface Contacts {
  frame: number; count: number;
  master: Uint32Array; slave: Uint32Array; state: Uint32Array;
  point: Float64Array; normal: Float32Array; force: Float32Array;
  normalForce: Float32Array; gap: Float32Array; friction: Float32Array; residual: Float32Array;
  crossFriction: Float32Array;  // μ_2 t2 where friction along t2 is another one, else 0
}

interface MotionChunk { columns: Int32Array[]; flags: Uint32Array }

const kChunksKept = 6;

export class RunData {
  private readonly motion = new Map<number, Promise<MotionChunk>>();
  private readonly contactChunks = new Map<number, Promise<Contacts[]>>();

  constructor(readonly head: RunHead) {}

  get frames(): number { return this.head.times.length; }
  get bodies(): number { return this.head.names.length; }
  isObstacle(body: number): boolean { return this.head.kinds[body] === "obstacle"; }
  nameOf(body: number): string { return this.head.names[body] || `body ${body}`; }

  async placement(frame: number): Promise<Placement> {
    const at = this.head.motion.findIndex((span) => frame < span.first + span.count);
    const chunk = await keep(this.motion, at, () => this.readMotion(this.head.motion[at]));
    return this.place(chunk, frame - this.head.motion[at].first);
  }

  /** Unpacks the chunk after that of `frame`, so that playing need not wait. */
  prefetch(frame: number): void {
    const at = this.head.motion.findIndex((span) => frame < span.first + span.count) + 1;
    if (at < this.head.motion.length) void keep(this.motion, at, () => this.readMotion(this.head.motion[at]));
  }

  /** Those of the last frame up to `frame` that has any recorded; undefined where the run has none. */
  async contacts(frame: number): Promise<Contacts | undefined> {
    const every = this.head.contactEvery;
    const kept = Math.floor(frame / every);
    const at = this.head.contacts.findIndex((span) => kept < span.first / every + span.count);
    if (at < 0) return undefined;
    const span = this.head.contacts[at];
    const chunk = await keep(this.contactChunks, at, () => this.readContacts(span));
    return chunk[kept - span.first / every];
  }

  async table(): Promise<{ columns: string[]; numbers: Float32Array[] } | undefined> {
    const table = this.head.table;
    if (!table) return undefined;
    const columns = await Columns.of(table.chunk);
    return { columns: table.columns, numbers: table.columns.map(() => columns.floats(table.rows)) };
  }

  private async readMotion(span: Span): Promise<MotionChunk> {
    const packed = await Columns.of(span.chunk);
    const all = span.count * this.bodies;
    const columns = Array.from({ length: 7 }, () => packed.motion(all, this.bodies));
    return { columns, flags: packed.bits(all) };
  }

  private place(chunk: MotionChunk, row: number): Placement {
    const n = this.bodies, from = row * n, { unit, turn } = this.head;
    const place: Placement = {
      position: new Float64Array(3 * n), orientation: new Float32Array(4 * n),
      there: new Uint8Array(n), asleep: new Uint8Array(n),
    };
    for (let b = 0; b < n; ++b) {
      for (let k = 0; k < 3; ++k) place.position[3 * b + k] = unit * chunk.columns[k][from + b];
      for (let k = 0; k < 4; ++k) place.orientation[4 * b + k] = chunk.columns[3 + ((k + 1) % 4)][from + b] / turn;
      place.there[b] = chunk.flags[from + b] & 1;
      place.asleep[b] = chunk.flags[from + b] >> 1;
    }
    return place;
  }

  private async readContacts(span: Span): Promise<Contacts[]> {
    const packed = await Columns.of(span.chunk);
    const counts = packed.bits(span.count);
    const all = counts.reduce((sum, count) => sum + count, 0);
    const [master, slave, state] = [0, 1, 2].map(() => packed.bits(all));
    const point = interleave([0, 1, 2].map(() => packed.signed(all)), this.head.unit, Float64Array);
    const normal = interleave([0, 1, 2].map(() => packed.signed(all)), 1 / this.head.normal, Float32Array);
    const force = interleave([0, 1, 2].map(() => packed.floats(all, 24)), 1, Float32Array);
    const gap = packed.floats(all, 24), friction = packed.floats(all, 24), residual = packed.floats(all, 16);
    const crossFriction = interleave([0, 1, 2].map(() => packed.floats(all, 24)), 1, Float32Array);
    const normalForce = new Float32Array(all);
    for (let k = 0; k < all; ++k) for (let i = 0; i < 3; ++i) normalForce[k] += force[3 * k + i] * normal[3 * k + i];
    let from = 0;
    return Array.from(counts, (count, place) => {
      const to = from + count, a = from;
      from = to;
      return {
        frame: span.first + place * this.head.contactEvery, count,
        master: master.subarray(a, to), slave: slave.subarray(a, to), state: state.subarray(a, to),
        point: point.subarray(3 * a, 3 * to), normal: normal.subarray(3 * a, 3 * to), force: force.subarray(3 * a, 3 * to),
        normalForce: normalForce.subarray(a, to), gap: gap.subarray(a, to),
        friction: friction.subarray(a, to), residual: residual.subarray(a, to),
        crossFriction: crossFriction.subarray(3 * a, 3 * to),
      };
    });
  }
}

function interleave<A extends Float32Array | Float64Array>(
    columns: ArrayLike<number>[], unit: number, Kind: new (length: number) => A): A {
  const rows = columns[0].length, values = new Kind(3 * rows);
  for (let k = 0; k < rows; ++k) for (let i = 0; i < 3; ++i) values[3 * k + i] = unit * columns[i][k];
  return values;
}

// What `make` gives for a key, made once while it is among the last few.
function keep<T>(kept: Map<number, Promise<T>>, key: number, make: () => Promise<T>): Promise<T> {
  const known = kept.get(key) ?? make();
  kept.delete(key);
  kept.set(key, known);
  if (kept.size > kChunksKept) kept.delete(kept.keys().next().value!);
  return known;
}
