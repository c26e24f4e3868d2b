// Makes the golden store of one version: `node test/golden/stores/make-store.mjs <its dist/waymark.js> [folder]`.
// Without a folder it is written to that of its version, beside this file.
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";
import { openProduct } from "./drive-product.mjs";
import { workspaces } from "./leave-runs.mjs";

/** Only what a run needs; the copied package, its home and its settings are left out. */
const kept = [...Object.keys(workspaces), "data"];

/** Each run as the version that made it prints it. */
function saidOf(product, workspace, place, run) {
  const lines = (words) =>
    product
      .text(workspace, ["--json", ...words])
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line));
  return {
    workspace,
    place,
    run,
    status: product.json(workspace, ["status", run]),
    state: product.json(workspace, ["state", run]),
    journal: lines(["journal", run, "--limit", "10000"]),
    items: ["review", "batch"].includes(workspace) ? lines(["items", run, "--kind", "all"]) : [],
  };
}

/** Files by path, with the place of their content in the bytes that follow; what is the same is there once. */
function gather(root) {
  const [files, contents, places] = [{}, [], new Map()];
  let end = 0;
  for (const path of kept.flatMap((name) => filesBelow(join(root, name)))) {
    const held = readFileSync(path);
    const hash = createHash("sha256").update(held).digest("hex");
    if (!places.has(hash)) {
      places.set(hash, { at: end, bytes: held.length });
      contents.push(held);
      end += held.length;
    }
    files[relative(root, path)] = { ...places.get(hash), mode: statSync(path).mode & 0o777 };
  }
  return { files, contents };
}

/** One line of JSON, then the contents. */
function pack({ contents, ...head }) {
  const all = Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), ...contents]);
  // A window of 16 MB finds the programs that several workspaces share.
  return brotliCompressSync(all, { params: { [constants.BROTLI_PARAM_LGWIN]: 24, [constants.BROTLI_PARAM_SIZE_HINT]: all.length } });
}

function filesBelow(folder) {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted();
}

const [dist, out] = process.argv.slice(2);
if (dist === undefined) throw new Error("Say which built package: make-store.mjs <dist/waymark.js> [folder]");
const root = join(realpathSync(tmpdir()), "waymark-golden-store");
const product = openProduct(resolve(dist), root);
const said = [];
const tokens = {};
for (const [workspace, leave] of Object.entries(workspaces)) {
  const { token, ...runs } = await leave(product, workspace);
  if (token !== undefined) tokens[workspace] = token;
  for (const [place, run] of Object.entries(runs)) said.push(saidOf(product, workspace, place, run));
}
const { version } = JSON.parse(readFileSync(join(root, "package/package.json"), "utf8"));
const folder = resolve(out ?? join(import.meta.dirname, version));
mkdirSync(folder, { recursive: true });
const packed = pack({ version, root, made: product.began, tokens, said, ...gather(root) });
writeFileSync(join(folder, "store.br"), packed);
rmSync(root, { recursive: true, force: true });
process.stdout.write(`${said.length} runs of ${version}, ${packed.length} bytes.\n`);
