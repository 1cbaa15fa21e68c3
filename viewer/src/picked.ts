// The panel of the body that was picked: its numbers, and a row for each of its contacts.

import { escaped, part } from "./page";
import { shortNumber } from "./plots";
import { Contacts, kStates, RunData } from "./run_data";

export interface BodyNumbers {
  body: number; name: string; kind: string; mass: number | null; asleep: boolean;
  position: number[]; orientation: number[]; speed: number; contacts: ContactNumbers[];
}
export interface ContactNumbers {
  other: number; name: string; state: string; normalForce: number; tangentForce: number; friction: number; gap: number; residual: number;
}

export function contactsOf(run: RunData, contacts: Contacts | undefined, body: number): ContactNumbers[] {
  const found: ContactNumbers[] = [];
  for (let k = 0; contacts && k < contacts.count; ++k) {
    const { master, slave } = contacts;
    if (master[k] !== body && slave[k] !== body) continue;
    const other = master[k] === body ? slave[k] : master[k];
    const force = Math.hypot(...contacts.force.subarray(3 * k, 3 * k + 3)), normalForce = contacts.normalForce[k];
    found.push({
      other, name: run.nameOf(other), state: kStates[contacts.state[k]], normalForce,
      tangentForce: Math.sqrt(Math.max(force ** 2 - normalForce ** 2, 0)),
      friction: contacts.friction[k], gap: contacts.gap[k], residual: contacts.residual[k],
    });
  }
  return found;
}

export function showPicked(numbers: BodyNumbers | undefined, pick: (body: number) => void): void {
  const panel = part("picked");
  panel.hidden = !numbers;
  if (!numbers) return;
  const row = (name: string, value: string) => `<tr><th>${name}</th><td>${value}</td></tr>`;
  const vector = (values: number[], digits: number) => values.map((value) => value.toFixed(digits)).join(", ");
  const contacts = numbers.contacts.map((c) => `<tr data-body="${c.other}"><td>${escaped(c.name)}</td><td>${c.state}</td>` +
    `<td>${shortNumber(c.normalForce)}</td><td>${shortNumber(c.tangentForce)}</td><td>${c.gap.toExponential(1)}</td>` +
    `<td>${c.residual >= 0 ? c.residual.toExponential(1) : "–"}</td></tr>`);
  panel.innerHTML = `<h2>${escaped(numbers.name)}</h2><table>` +
    row("kind", numbers.kind + (numbers.asleep ? ", asleep" : "")) +
    (numbers.mass === null ? "" : row("mass", `${shortNumber(numbers.mass)} kg`)) +
    row("mass centre", `${vector(numbers.position, 4)} m`) +
    row("quaternion", vector(numbers.orientation, 4)) + row("speed", `${shortNumber(numbers.speed)} m/s`) + "</table>" +
    (contacts.length === 0 ? "" : `<table class="contacts"><tr><th>contact with</th><th>state</th><th>R_n [N]</th><th>R_t [N]</th>` +
      `<th>gap [m]</th><th>residual</th></tr>${contacts.join("")}</table>`);
  for (const line of panel.querySelectorAll<HTMLElement>("tr[data-body]")) line.onclick = () => pick(Number(line.dataset.body));
}
