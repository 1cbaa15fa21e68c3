// What the pages of `locdyn view` cost: seconds to write one, to open it in a browser that draws by its processor, and
// frames a second while it plays there.
//
//     LOCDYN=…/locdyn ROOM=…/build/release/viewer CHROMIUM=$(command -v chromium) node benchmarks/page_cost.mjs
//
// ROOM holds the node_modules of the tests. Aims: 3 s to write 1000 frames of 1000 bodies, 2 s to open, and 30 frames a
// second where a graphics card draws.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const { LOCDYN, ROOM, CHROMIUM, LOCDYN_PROBLEMS } = process.env;
const scenes = join(dirname(fileURLToPath(import.meta.url)), "..", "scenes");
const room = mkdtempSync(join(tmpdir(), "pages-"));
const run = (...words) => execFileSync(LOCDYN, words, { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });

// A thousand spheres that fly through a thousand frames.
function manyBodies() {
  const bodies = Array.from({ length: 1000 }, (_, i) => ({ name: `ball${i}`, shape: { type: "sphere", radius: 0.2 },
    density: 1000, surface: "stone", position: [i % 10, Math.floor(i / 10) % 10, 1 + Math.floor(i / 100)],
    velocity: [0, 0, 3] }));
  const floor = { name: "floor", kind: "obstacle", surface: "stone", shape: { type: "plane" } };
  const scene = { step: 0.001, duration: 0.999, surfaces: { stone: { friction: 0.5 } }, bodies: [floor, ...bodies],
    output: { every: 1 } };
  writeFileSync(join(room, "many.json"), JSON.stringify(scene));
  return join(room, "many.json");
}

function simulated(name, scene, ...more) {
  const folder = join(room, name);
  run("simulate", scene, "-o", folder, "--quiet", ...more);
  return folder;
}

async function measure(name, what) {
  const page = join(room, `${name}.html`);
  const began = Date.now();
  run("view", what, "-o", page);
  const written = Date.now() - began;
  const { chromium } = createRequire(join(ROOM, "package.json"))("playwright-core");
  const flags = ["--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--no-sandbox"];
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: flags });
  try {
    const tab = await browser.newPage({ viewport: { width: 1200, height: 700 }, offline: true });
    const opening = Date.now();
    await tab.goto(`file://${page}`);
    await tab.evaluate(() => window.locdyn);
    const opened = Date.now() - opening;
    const rate = await tab.evaluate(async () => {
      const { view } = await window.locdyn;
      if (!view.player) return NaN;
      document.querySelector("#play").click();
      let drawn = 0;
      const start = performance.now();
      while (performance.now() - start < 4000) {
        await new Promise((done) => requestAnimationFrame(done));
        ++drawn;
      }
      return (1000 * drawn) / (performance.now() - start);
    });
    const megabytes = (statSync(page).size / 1e6).toFixed(1);
    console.log(`${name}: written in ${(written / 1000).toFixed(2)} s, ${megabytes} MB, opened in ${(opened / 1000).toFixed(2)} s`
      + (Number.isNaN(rate) ? "" : `, ${rate.toFixed(1)} frames a second`));
  } finally {
    await browser.close();
  }
}

try {
  await measure("1000 bodies in 1000 frames", simulated("many", manyBodies()));
  await measure("arch", simulated("arch", join(scenes, "arch.json")));
  await measure("wall", simulated("wall", join(scenes, "wall.json"), "--time", "0.5"));
  await measure("drum", simulated("drum", join(scenes, "drum.json"), "--time", "1"));
  await measure("mechanism", simulated("mechanism", join(scenes, "four_bar.json")));
  if (LOCDYN_PROBLEMS) await measure("rocks", join(LOCDYN_PROBLEMS, "local3d", "RockPile_tob1.hdf5"));
} finally {
  rmSync(room, { recursive: true });
}
