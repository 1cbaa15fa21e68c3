// The parts of the page by their ids, and the small things that all views do with them.

export function part<E extends HTMLElement = HTMLElement>(id: string): E {
  return document.getElementById(id) as E;
}

export function tellFault(fault: unknown): void {
  const line = part("fault");
  line.textContent = fault instanceof Error ? fault.message : String(fault);
  line.hidden = false;
}

/** Fills a select and calls `choose` with what is chosen. */
export function choose<T extends string>(id: string, names: readonly T[], now: T, chosen: (name: T) => void): void {
  const select = part<HTMLSelectElement>(id);
  for (const name of names) select.add(new Option(name, name, false, name === now));
  select.onchange = () => { chosen(select.value as T); select.blur(); };
}

/** A button that is on or off, and by which key it is turned. */
export interface Toggle { key: string; name: string; get: () => boolean; set: (on: boolean) => void }

export function addToggles(toggles: Toggle[]): void {
  for (const toggle of toggles) {
    const button = document.createElement("button");
    const show = () => button.classList.toggle("on", toggle.get());
    button.textContent = toggle.name;
    button.title = `${toggle.name} (${toggle.key})`;
    button.dataset.layer = toggle.name;
    button.onclick = () => { toggle.set(!toggle.get()); show(); button.blur(); };
    part("layers").append(button);
    onKey(toggle.key, toggle.name, () => button.click());
    show();
  }
}

const keys = new Map<string, { what: string; run: () => void }>();
const kNames: Record<string, string> = { " ": "space", ArrowLeft: "←", ArrowRight: "→" };

export function onKey(key: string, what: string, run: () => void): void {
  keys.set(key, { what, run });
}

/** Listens to keys, and shows them in the help panel. */
export function startKeys(): void {
  const help = part("help");
  const toggle = () => { help.hidden = !help.hidden; };
  onKey("?", "this panel", toggle);
  part("help-button").onclick = toggle;
  help.innerHTML = "<h2>Keys</h2><table></table><p>Drag to turn, right drag to shift, wheel to come nearer; click a body for its numbers.</p>";
  for (const [key, { what }] of keys) {
    const row = help.querySelector("table")!.insertRow();
    row.insertCell().append(Object.assign(document.createElement("kbd"), { textContent: kNames[key] ?? key }));
    row.insertCell().textContent = what;
  }
  help.onclick = toggle;
  addEventListener("keydown", (event) => {
    const typing = event.target instanceof HTMLSelectElement;
    const found = keys.get(event.key);
    if (!found || typing || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    found.run();
  });
}

/** A click that is no drag, with its place. */
export function onClick(element: HTMLElement, clicked: (x: number, y: number) => void): void {
  let down: [number, number] | undefined;
  element.addEventListener("pointerdown", (event) => { down = [event.clientX, event.clientY]; });
  element.addEventListener("pointerup", (event) => {
    if (down && Math.hypot(event.clientX - down[0], event.clientY - down[1]) < 4) clicked(event.clientX, event.clientY);
    down = undefined;
  });
}

export function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

export function swatches(title: string, entries: [string, string][]): string {
  return `<div>${title} ${entries.map(([name, colour]) => `<span><i style="background:${colour}"></i>${name}</span>`).join(" ")}</div>`;
}

export function ramp(title: string, low: string, high: string, gradient: string): string {
  return `<div>${title} <span>${low}</span><b style="background:${gradient}"></b><span>${high}</span></div>`;
}
