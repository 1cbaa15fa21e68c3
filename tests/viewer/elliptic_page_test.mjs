// Friction along a direction of a shape: its cone in the page is as wide along that direction and across it as the two
// coefficients say, and the reactions of contacts that stick lie in it.
import { writeFileSync } from "node:fs";
import { near, onPage, require, run, scratch } from "./browser.mjs";

const along = 0.6, across = 0.1, floor = 0.3;  // of a pair: the geometric mean
const skate = (name, y, direction) => ({
  name, density: 500, surface: "skate", position: [0, y, 0.05],
  shape: { type: "box", size: [0.4, 0.2, 0.1], friction_direction: direction },
});
const scene = scratch("skates.json"), folder = scratch("skates"), page = scratch("skates.html");
writeFileSync(scene, JSON.stringify({
  step: 2e-3, duration: 0.1, gravity: [1.2, 1.2, -9.81],
  surfaces: { floor: { friction: floor }, skate: { friction: along, cross_friction: across } },
  bodies: [
    { kind: "obstacle", surface: "floor", shape: { type: "plane" } },
    skate("straight", 0, [1, 0, 0]), skate("turned", 1, [1, 1, 0]),
  ],
}));
run("simulate", scene, "-o", folder, "--quiet");
run("view", folder, "-o", page);

await onPage(page, async ({ page, look, keep }) => {
  await look("(v.player.seek(v.run.frames - 1), await v.follow())");
  await page.keyboard.press("n");
  await page.waitForFunction(async () => (await window.locdyn).view.contactsView.coneInstances.count > 0);
  await keep("elliptic-cones");
  const cones = await look(`(() => {
    const rows = v.contactRows, m = v.contactsView.coneInstances.mesh.instanceMatrix.array, list = [];
    const pressed = [...rows.normalForce.keys()].filter((i) => rows.normalForce[i] > 0);
    for (let k = 0; k < v.contactsView.coneInstances.count; ++k) {
      const column = (c) => [...m.slice(16 * k + 4 * c, 16 * k + 4 * c + 3)];
      list.push({ at: column(3), first: column(0), height: column(1), second: column(2), force: [...rows.force.slice(3 * pressed[k], 3 * pressed[k] + 3)] });
    }
    return list;
  })()`);
  require(cones.length === 8, `a cone for each corner of two boxes, found ${cones.length}`);
  const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2], length = (a) => Math.sqrt(dot(a, a));
  const edge = (cone, force) => {  // 1 on the cone's surface
    const share = (axis) => dot(force, axis) / dot(axis, axis);
    return Math.hypot(share(cone.first), share(cone.second)) / share(cone.height);
  };
  for (const cone of cones) {
    const height = length(cone.height), wide = length(cone.first), narrow = length(cone.second);
    near(wide / height, Math.sqrt(along * floor), 1e-4, "half width along the direction over the height");
    near(narrow / height, Math.sqrt(across * floor), 1e-4, "half width across it over the height");
    const direction = cone.at[1] > 0.5 ? [Math.SQRT1_2, Math.SQRT1_2, 0] : [1, 0, 0];
    near(Math.abs(dot(cone.first, direction)) / wide, 1, 1e-4, "its long axis along the direction");
    require(edge(cone, cone.force) < 1 + 1e-3, `a reaction within the cone, found ${edge(cone, cone.force)} of its edge`);
  }
  // Of a whole box, which is held against (1.2, 1.2): across and along the direction of one, along that of the other.
  const pull = 1.2 / 9.81, of = (turned) => cones.filter((cone) => cone.at[1] > 0.5 === turned);
  const shares = { false: Math.hypot(pull / Math.sqrt(along * floor), pull / Math.sqrt(across * floor)),
                   true: (pull * Math.SQRT2) / Math.sqrt(along * floor) };
  for (const turned of [false, true]) {
    const box = of(turned), force = [0, 1, 2].map((i) => box.reduce((sum, cone) => sum + cone.force[i], 0));
    require(box.length === 4, `four corners of a box, found ${box.length}`);
    near(edge(box[0], force), shares[turned], 1e-3, "what holds the box, over the edge of its cones");
  }
}, { width: 900, height: 600 });
