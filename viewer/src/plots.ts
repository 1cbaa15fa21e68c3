// Numbers against time, each plot of one quantity that the reader chooses; the line of the moment that is shown moves
// with the scrubber, and a click in a plot moves the scrubber.

import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";

export interface Table { columns: string[]; numbers: Float32Array[] }

interface Choice { name: string; columns: number[]; log: boolean }

const kLines = ["#2f6f9e", "#d9622b", "#5a8a4a"];
const kLogarithmic = ["residual", "penetration"];
const kFirst = ["energy", "residual", "iterations", "penetration [m]"];
const kTime = "time [s]";

export class Plots {
  private readonly plots: uPlot[] = [];
  private readonly time: Float32Array;
  private readonly choices: Choice[];
  private moment = 0;

  constructor(private readonly room: HTMLElement, private readonly table: Table, private readonly seek: (time: number) => void) {
    this.time = table.numbers[table.columns.indexOf(kTime)];
    this.choices = choicesOf(table);
    const first = kFirst.flatMap((name) => this.choices.filter((choice) => choice.name === name));
    const others = this.choices.filter((choice) => !first.includes(choice) && choice.name !== "step");
    [...first, ...others].slice(0, 4).forEach((choice) => this.addPlot(choice));
    new ResizeObserver(() => this.resize()).observe(room);
  }

  private addPlot(choice: Choice): void {
    const cell = document.createElement("div"), select = document.createElement("select");
    cell.className = "plot";
    select.title = "what this plot shows";
    this.choices.forEach((other, k) => select.add(new Option(other.name, String(k), false, other === choice)));
    cell.append(select);
    this.room.append(cell);
    const place = this.plots.push(this.plotOf(choice, cell)) - 1;
    select.onchange = () => {
      this.plots[place].destroy();
      this.plots[place] = this.plotOf(this.choices[Number(select.value)], cell);
    };
  }

  private plotOf(choice: Choice, cell: HTMLElement): uPlot {
    const numbers = choice.columns.map((column) => Array.from(this.table.numbers[column],
      (value) => (Number.isFinite(value) && (!choice.log || value > 0) ? value : null)));
    const axis = { font: "10px system-ui", ticks: { show: false }, grid: { stroke: "#e6eaed", width: 1 }, stroke: "#6b747b" };
    const log = choice.log && numbers.some((column) => column.some((value) => value !== null));
    const plot = new uPlot({
      width: this.width, height: 118, legend: { show: false }, cursor: { drag: { x: false, y: false }, y: false },
      scales: { x: { time: false }, y: log ? { distr: 3 } : {} },
      axes: [{ ...axis, size: 20, space: 60 }, { ...axis, size: 50, ...(log ? { space: 18, filter: decades, grid: { ...axis.grid, filter: decades } } : {}), values: (_, ticks) => ticks.map(shortNumber) }],
      series: [{}, ...choice.columns.map((column, k) => ({
        label: this.table.columns[column], stroke: kLines[k % kLines.length], width: 1.2, points: { show: false } }))],
      hooks: { draw: [(drawn) => this.drawMoment(drawn)] },
    }, [Array.from(this.time), ...numbers], cell);
    plot.over.addEventListener("click", () => this.seek(plot.posToVal(plot.cursor.left!, "x")));
    return plot;
  }

  private drawMoment(plot: uPlot): void {
    const x = Math.round(plot.valToPos(this.moment, "x", true)), { top, height } = plot.bbox;
    plot.ctx.fillStyle = "#b3262b";
    plot.ctx.fillRect(x, top, Math.max(1, Math.round(devicePixelRatio)), height);
  }

  /** Moves the line of the moment to `time` [s]. */
  show(time: number): void {
    this.moment = time;
    for (const plot of this.plots) plot.redraw(false, false);
  }

  private get width(): number { return Math.max(this.room.clientWidth - 16, 160); }
  private resize(): void {
    for (const plot of this.plots) plot.setSize({ width: this.width, height: 118 });
  }
}

// Of a logarithmic axis whole powers of ten, at most five.
function decades(_: uPlot, ticks: number[]): (number | null)[] {
  const whole = ticks.filter((tick) => Math.abs(Math.log10(tick) - Math.round(Math.log10(tick))) < 1e-6);
  const every = Math.ceil(whole.length / 5);
  return ticks.map((tick) => (whole.includes(tick) && whole.indexOf(tick) % every === 0 ? tick : null));
}

function choicesOf(table: Table): Choice[] {
  const energies = ["kinetic [J]", "potential [J]", "total [J]"].map((name) => table.columns.indexOf(name));
  const choices: Choice[] = energies.every((column) => column >= 0) ? [{ name: "energy", columns: energies, log: false }] : [];
  table.columns.forEach((name, column) => {
    if (name !== kTime) choices.push({ name, columns: [column], log: kLogarithmic.some((word) => name.startsWith(word)) });
  });
  return choices;
}

export function shortNumber(value: number | null): string {
  if (value === null || !Number.isFinite(value)) return "";
  const size = Math.abs(value);
  return size !== 0 && (size < 1e-3 || size >= 1e5) ? value.toExponential(0) : String(Number(value.toPrecision(4)));
}
