// Bodies that are joined by pressed contacts, as parts of one graph.

import type { Contacts } from "./run_data";

/** Of each body its island, 0, 1, …; −1 for obstacles and what touches nothing. Joints are not in it. */
export function islandsOf(contacts: Contacts, bodies: number, isObstacle: (body: number) => boolean): Int32Array {
  const parent = Int32Array.from({ length: bodies }, (_, body) => body);
  const root = (body: number): number => {
    while (parent[body] !== body) body = parent[body] = parent[parent[body]];
    return body;
  };
  const touches = new Uint8Array(bodies);
  for (let k = 0; k < contacts.count; ++k) {
    const a = contacts.master[k], b = contacts.slave[k];
    if (contacts.state[k] === 0) continue;
    touches[b] = 1;
    if (isObstacle(a) || isObstacle(b)) continue;
    touches[a] = 1;
    const low = Math.min(root(a), root(b)), high = Math.max(root(a), root(b));
    parent[high] = low;
  }
  const number = new Map<number, number>();
  return Int32Array.from({ length: bodies }, (_, body) => {
    if (!touches[body] || isObstacle(body)) return -1;
    const at = root(body);
    if (!number.has(at)) number.set(at, number.size);
    return number.get(at)!;
  });
}
