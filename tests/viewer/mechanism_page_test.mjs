// A mechanism: a scene that is run first; its curves are what the plots show.
import { onPage, require, run, SCENES, scratch } from "./browser.mjs";

const file = scratch("slider.html");
run("view", `${SCENES}/slider_crank.json`, "-o", file);

await onPage(file, async ({ page, look, keep }) => {
  require((await look("v.run.nameOf(2)")) === "piston", "a piston");
  require((await look("L.head.contacts.every((span) => span.count > 0)")), "no empty chunk");
  const columns = await page.locator(".plot select").first().locator("option").allTextContents();
  require(columns.includes("crank x [m]"), `the crank's place among ${columns}`);
  // The piston goes along x: 2 × 0.04 m from end to end.
  const places = [];
  for (let frame = 0; frame < (await look("v.run.frames")); frame += 3) {
    await look(`(v.player.seek(${frame}), await v.follow())`);
    places.push((await look("v.numbersOf(2).position"))[0]);
  }
  const stroke = Math.max(...places) - Math.min(...places);
  require(Math.abs(stroke - 0.08) < 1e-3, `a stroke of 0.08 m, found ${stroke}`);
  await keep("mechanism");
});
