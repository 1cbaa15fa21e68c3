// A browser without a window, drawing by its processor, on pages that the program wrote.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

export const { LOCDYN, SCENES, ROOM, CHROMIUM } = process.env;
const pictures = join(ROOM, "pictures");
mkdirSync(pictures, { recursive: true });

export function run(...words) {
  return execFileSync(LOCDYN, words, { encoding: "utf8" });
}

export function scratch(name) {
  const folder = join(ROOM, "scratch");
  mkdirSync(folder, { recursive: true });
  return join(folder, name);
}

/** Numbers of a trajectory, read by h5py. */
export function fromTrajectory(file, expression) {
  const python = `import h5py, json, sys\nf = h5py.File(sys.argv[1])\nprint(json.dumps(${expression}))`;
  return JSON.parse(execFileSync("/usr/bin/python3", ["-c", python, file], { encoding: "utf8" }));
}

export function require(holds, what) {
  if (!holds) throw new Error(`expected ${what}`);
}

export function near(found, expected, tolerance, what) {
  require(Math.abs(found - expected) <= tolerance, `${what}: ${expected} to ${tolerance}, found ${found}`);
}

/** Runs `test` on the page of a file; nothing but that file may be asked for. */
export async function onPage(file, test, size = { width: 1200, height: 700 }) {
  if (!CHROMIUM || !existsSync(CHROMIUM)) {
    console.log("skipped: no chromium");
    return;
  }
  const { chromium } = createRequire(join(ROOM, "package.json"))("playwright-core");
  const flags = ["--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--no-sandbox"];
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: flags });
  try {
    const page = await browser.newPage({ viewport: size, offline: true });
    page.setDefaultTimeout(0); // ctest has one, and a busy machine draws slowly
    const said = [];
    page.on("console", (message) => said.push(message.text()));
    page.on("pageerror", (fault) => said.push(fault.message));
    page.on("request", (request) => { if (!/^(file|data|blob):/.test(request.url())) said.push(request.url()); });
    const began = Date.now();
    await page.goto(`file://${file}`);
    await page.evaluate(() => window.locdyn.catch(() => {}));
    console.log(`opened in ${Date.now() - began} ms`);
    // `look` evaluates an expression of L (what window.locdyn gives) and its view v in the page.
    const look = (expression) => page.evaluate(`(async () => { const L = await window.locdyn, v = L.view; return ${expression}; })()`);
    const keep = async (name) => { await page.waitForTimeout(300); await page.screenshot({ path: join(pictures, `${name}.png`) }); };
    await test({ page, look, keep, said });
    require(said.length === 0, `no word on the console, no request: ${said.join("; ")}`);
  } finally {
    await browser.close();
  }
}
