// A run: what the page shows is what the trajectory holds; time line, picking, layers, colours, plots, keys, a small window.
import { fromTrajectory, near, onPage, require, run, SCENES, scratch } from "./browser.mjs";

const folder = scratch("wall"), trajectory = `${folder}/trajectory.h5`;
run("simulate", `${SCENES}/wall.json`, "--time", "0.24", "-o", folder, "--quiet", "--view");

async function compareFrame(look, frame) {
  await look(`(v.player.seek(${frame}), await v.follow())`);
  const name = String(frame).padStart(6, "0"), unit = await look("L.head.unit");
  const positions = fromTrajectory(trajectory, `f["bodies/position"][${frame}].tolist()`);
  const shown = await look("Array.from({length: v.run.bodies}, (_, body) => v.numbersOf(body).position)");
  positions.forEach((x, body) => x.forEach((value, k) => near(shown[body][k], value, 0.51 * unit, `place of body ${body}`)));
  const normal = fromTrajectory(trajectory, `(f["contacts/force/${name}"][:] * f["contacts/normal/${name}"][:]).sum(axis=1).tolist()`);
  const found = await look("Array.from(v.contactRows.normalForce)"), most = Math.max(...normal);
  require(found.length === normal.length, `${normal.length} contacts, found ${found.length}`);
  normal.forEach((value, k) => near(found[k], value, 5e-4 * most, `R_n of contact ${k}`));
  const time = fromTrajectory(trajectory, `f["time"][${frame}]`);
  near(await look(`L.head.times[v.frame]`), time, 1e-12, "time");
}

async function timeLine(page, look) {
  const frames = await look("v.run.frames");
  await page.locator("#scrubber").fill("3");
  await page.waitForFunction(() => document.querySelector("#clock").textContent.includes("frame 3 "));
  await page.keyboard.press("ArrowRight");
  await page.waitForFunction(() => document.querySelector("#clock").textContent.includes("frame 4 "));
  await page.keyboard.press("Home");
  await page.locator("#play").click();
  await page.waitForFunction(async () => (await window.locdyn).view.frame > 2);
  await page.keyboard.press(" ");
  require(!(await look("v.player.playing")), "space to pause");
  await page.keyboard.press("End");
  await page.waitForFunction((last) => document.querySelector("#clock").textContent.includes(`frame ${last} `), frames - 1);
}

// Clicks where a body is drawn; the panel must name what the ray meets there.
async function pickBody(page, look, keep) {
  const place = await look(`(() => {
    const rect = L.stage.renderer.domElement.getBoundingClientRect();
    for (let body = v.run.bodies - 1; body > 0; --body) {
      const x = v.numbersOf(body).position, at = L.stage.camera.position.clone().set(...x).project(L.stage.camera);
      const spot = [rect.left + (at.x + 1) / 2 * rect.width, rect.top + (1 - at.y) / 2 * rect.height];
      if (v.bodies.pick(L.stage.ray(...spot)) === body && v.numbersOf(body).contacts.length > 0) return [body, ...spot];
    }
  })()`);
  await page.mouse.click(place[1], place[2]);
  const name = await look(`v.run.nameOf(${place[0]})`);
  require((await page.locator("#picked h2").textContent()) === name, `the panel of ${name}`);
  require((await page.locator("#picked .contacts tr").count()) === 1 + (await look(`v.numbersOf(${place[0]}).contacts.length`)), "a line a contact");
  await keep("run-picked");
  const other = await page.locator("#picked tr[data-body]").first().getAttribute("data-body");
  await page.locator("#picked tr[data-body]").first().click();
  require((await page.locator("#picked h2").textContent()) === (await look(`v.run.nameOf(${other})`)), "the other body after a click on its line");
  await page.keyboard.press("Escape");
  require(await page.locator("#picked").isHidden(), "no panel after Escape");
}

async function layersAndColours(page, look, keep) {
  await page.locator("[data-layer=\"force chains\"]").click();
  const pressed = await look("v.contactRows.normalForce.filter((R) => R > 0).length");
  const tubes = await look("v.contactsView.tubes.count");
  require(pressed > 0 && tubes >= pressed, `a tube for each of ${pressed} pressed contacts, found ${tubes}`);
  await keep("run-force-chains");
  await page.keyboard.press("f");
  await page.keyboard.press("n");
  require((await look("v.contactsView.reactions.count")) === pressed, "a reaction in each cone");
  await keep("run-cones");
  await page.keyboard.press("n");
  for (const colouring of ["speed", "island", "sleeping", "residual"]) {
    await page.selectOption("#body-colour", colouring);
    await keep(`run-bodies-by-${colouring}`);
  }
  await page.selectOption("#body-colour", "body");
  await page.selectOption("#contact-colour", "residual");
  require((await page.locator("#legend").textContent()).includes("residual"), "a legend of residuals");
  await page.selectOption("#contact-colour", "state");
  for (const preset of ["front", "top", "corner"]) await page.selectOption("#preset", preset);
}

async function plots(page, look, keep) {
  require((await page.locator(".plot").count()) === 4, "four plots");
  const box = await page.locator(".plot .u-over").first().boundingBox();
  await page.mouse.click(box.x + 0.5 * box.width, box.y + 0.5 * box.height);
  await page.waitForFunction(async () => { const { view } = await window.locdyn; return view.frame === view.player.frame; });
  const times = await look("[L.head.times[v.frame], L.head.times.at(-1)]");
  near(times[0] / times[1], 0.5, 0.15, "half of the time after a click in the middle of a plot");
  await page.locator(".plot select").nth(3).selectOption({ label: "contacts" });
  await keep("run");
}

await onPage(`${folder}/run.html`, async ({ page, look, keep }) => {
  for (const frame of [5, 11]) await compareFrame(look, frame);
  await timeLine(page, look);
  await pickBody(page, look, keep);
  await layersAndColours(page, look, keep);
  await plots(page, look, keep);
  await page.keyboard.press("?");
  require(await page.locator("#help").isVisible(), "the help panel");
  await keep("run-help");
  await page.keyboard.press("?");
  await page.setViewportSize({ width: 420, height: 560 });
  await keep("run-small-window");
  require(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "a page as wide as its window");
  require((await page.locator("#canvas").boundingBox()).height > 120, "room for the picture in a small window");
});
