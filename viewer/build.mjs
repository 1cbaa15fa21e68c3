// node build.mjs SRC ROOM: bundles SRC/main.ts with the packages below ROOM into ROOM/page.html.
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const [src, room] = process.argv.slice(2);
const esbuild = createRequire(join(room, "package.json"))("esbuild");
const { outputFiles } = await esbuild.build({
  entryPoints: [join(src, "main.ts")],
  bundle: true, minify: true, write: false, target: "es2022", charset: "utf8", outdir: room,
  nodePaths: [join(room, "node_modules")], logLevel: "warning",
});
const text = (end) => outputFiles.find((file) => file.path.endsWith(end)).text;
const page = readFileSync(join(src, "page.html"), "utf8")
  .replace("/* style */", () => text(".css"))
  .replace("/* script */", () => text(".js").replaceAll("</script", "<\\/script"));
writeFileSync(join(room, "page.html"), page);
