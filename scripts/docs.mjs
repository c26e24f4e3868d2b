// @ts-check
// Writes the generated pages of docs/. `--check` writes nothing and fails when a page is not what it would write.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pages } from "./docs/pages.mjs";
import { root } from "./run-tool.mjs";

const check = process.argv.includes("--check");
const stale = [];
for (const [name, make] of Object.entries(pages)) {
  const path = join(root, "docs", name);
  const text = await make();
  const held = await readFile(path, "utf8").catch(() => "");
  if (held === text) continue;
  stale.push(`docs/${name}`);
  if (!check) await writeFile(path, text);
}
if (check && stale.length > 0) {
  console.error(`Not fresh: ${stale.join(", ")}. Run \`npm run docs\`.`);
  process.exitCode = 1;
} else console.log(stale.length === 0 ? "All generated pages are fresh." : `Wrote ${stale.join(", ")}.`);
