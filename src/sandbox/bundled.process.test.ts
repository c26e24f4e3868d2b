import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { build } from "esbuild";
import { afterAll, expect, test } from "vitest";

const folder = mkdtempSync(join(tmpdir(), "waymark-bundle-"));
symlinkSync(resolve(import.meta.dirname, "../../node_modules"), join(folder, "node_modules"), "dir");
afterAll(() => rmSync(folder, { recursive: true }));

const entry = `
import { createSandbox } from "./create-sandbox.ts";
const sandbox = createSandbox({ limits: { timeMs: 150 } });
const list = Array.from({ length: 500 }, (_, n) => "file " + n);
const limits = (code) => (/;;|repeat/.test(code) ? {} : { timeMs: 20_000 });
const ask = async (code) => { const it = await sandbox.evaluate({ space: "s", code, bindings: { list }, limits: limits(code) }); return it.ok ? it.value : it.code; };
const answers = [];
for (const code of ["return list.reverse()[0]", "for (;;) {}", "return list[0]", "return list[0]", "return list[0]", "return 'x'.repeat(6e7).replaceAll('x', 'y').length", "return list.length"]) answers.push(await ask(code));
console.log(JSON.stringify(answers));
`;

// The sandbox is left open: an idle one must not keep the process alive.
test.each([
  ["plain", {}],
  ["minified", { minify: true }],
  ["minified with names kept", { minify: true, keepNames: true }],
])("the worker runs from one bundled file, %s", async (name, options) => {
  const outfile = join(folder, `${name.replaceAll(" ", "-")}.mjs`);
  await build({
    stdin: { contents: entry, resolveDir: import.meta.dirname, loader: "ts" },
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    external: ["quickjs-wasi"],
    outfile,
    ...options,
  });
  const printed = execFileSync(process.execPath, [outfile], { encoding: "utf8", cwd: folder, timeout: 30_000 });
  expect(JSON.parse(printed)).toEqual(["file 499", "SANDBOX_TIMEOUT", "file 0", "file 0", "file 0", "SANDBOX_TIMEOUT", 500]);
});
