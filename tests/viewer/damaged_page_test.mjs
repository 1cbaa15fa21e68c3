// A page that was cut short, or holds no data, says so in one line.
import { readFileSync, writeFileSync } from "node:fs";

import { onPage, require, run, scratch } from "./browser.mjs";

const whole = scratch("whole.html");
run("view", "builtin:chain", "-o", whole);
const text = readFileSync(whole, "utf8");
const chunk = text.indexOf(`id="chunk-0">`) + 13;
const damages = {
  "damaged.html": text.slice(0, chunk) + "AAAAAAAA" + text.slice(text.indexOf("</script>", chunk)),
  "without_data.html": text.replace(/<script type="application\/json"[^]*?<\/script>/, ""),
};
for (const [name, damaged] of Object.entries(damages)) {
  writeFileSync(scratch(name), damaged);
  await onPage(scratch(name), async ({ page, said }) => {
    const line = await page.locator("#fault").textContent();
    require(/^page: .*expected .*found/.test(line), `one line of what was expected and found, found "${line}"`);
    said.length = 0;  // the promise that failed
  });
}
