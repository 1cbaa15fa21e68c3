// A contact problem: a node a constraint, its residual and numbers, its neighbours.
import { near, onPage, require, run, scratch } from "./browser.mjs";

const file = scratch("arch.html"), what = "builtin:arch";
run("view", what, "-o", file);
const solved = JSON.parse(run("solve", what, "--json"));

await onPage(file, async ({ page, look, keep }) => {
  require((await look("L.head.nodes")) === solved.contacts, `${solved.contacts} nodes`);
  near((await look("L.head.residual.scaled")) / solved.residual.scaled, 1, 1e-6, "scaled residual over that of solve");
  const residuals = await look("Array.from({length: L.head.nodes}, (_, node) => v.numbersOf(node).residual)");
  require(residuals.every((residual) => residual >= 0), "a residual of each contact");
  await look("v.pick(7)");
  require((await page.locator("#picked h2").textContent()) === "contact 7", "the panel of contact 7");
  require((await look("v.numbersOf(7).neighbours.length")) > 0, "neighbours of contact 7");
  await keep("graph-residual");
  await page.keyboard.press("Escape");
  await page.selectOption("#body-colour", "state");
  await keep("graph-state");
  await page.keyboard.press("e");
  require(!(await look("v.lines.visible")), "no couplings after e");
});
