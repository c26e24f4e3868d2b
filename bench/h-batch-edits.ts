/** (h) A batch of fixes against the least that makes a file durable: write beside it, fsync, rename, one file after another. */
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { EditOutcome, FileEdit, FileScan } from "../src/ports/index.ts";
import { createWorkspace } from "../src/workspace/index.ts";
import { takeTurns } from "./rounds.ts";
import { errorRules, walk, workerProgram, workers } from "./scan-setup.ts";
import { scale } from "./scan-tree.ts";
import { Verdict } from "./verdict.ts";

const fileCount = Math.round(3_000 * scale);
/** So many files are written, and recorded as written, at once. */
const chunk = 100;
const fixCount = Math.round(10_000 * scale);
const root = mkdtempSync(join(process.env["BENCH_FOLDER"] ?? tmpdir(), "batch-"));
const undoFile = join(root, "undo.jsonl");
const workspace = createWorkspace({ workers, workerUrl: await workerProgram() });

grow();
const scans: FileScan[] = [];
const paths = await walk(workspace, root);
for await (const scan of workspace.scan({ root, paths, rules: errorRules })) scans.push(scan);
const fixes = scans.map((scan) => ({ ...scan, edits: scan.instances.flatMap(({ auto, edits }) => (auto ? (edits ?? []) : [])) }));
const before = new Map(paths.map((path) => [path, readFileSync(join(root, path))]));
let plans = await planAll();
await workspace.applyEdits(root, plans);
const after = new Map(paths.map((path) => [path, readFileSync(join(root, path))]));
await workspace.undoEdits(root, plans);
const counts = { failed: 0, different: 0 };

const rounds = await takeTurns(
  {
    reference: { before: restore, turn: writeOneByOne },
    ours: { before: restore, turn: runBatch },
  },
  { rounds: 7, turns: 1, warmUp: 1 },
);
restore();
await runBatch();
for (const path of paths) if (!readFileSync(join(root, path)).equals(after.get(path) as Buffer)) counts.different += 1;
await workspace.undoEdits(root, plans);
for (const path of paths) if (!readFileSync(join(root, path)).equals(before.get(path) as Buffer)) counts.different += 1;
await workspace.close();
rmSync(root, { recursive: true, force: true });

const verdict = new Verdict();
verdict.title(`(h) a batch of ${fixCount} fixes in ${fileCount} files${scale === 1 ? "" : `, reduced to ${scale}`}`);
verdict.exactly(
  "fixes planned",
  fixes.reduce((sum, { instances }) => sum + instances.filter(({ auto }) => auto).length, 0),
  fixCount,
);
verdict.exactly("files that were not written", counts.failed, 0);
verdict.exactly("files with other bytes after the batch or its undo", counts.different, 0);
verdict.compare(rounds, {
  what: "plan, record the undo data, check, write, sync",
  shown: {
    "reference: write beside, fsync, rename, one thread": (round) => round["reference"] ?? Number.NaN,
    "ours: the batch, undo data included": (round) => round["ours"] ?? Number.NaN,
  },
  ratio: (round) => (round["ours"] ?? Number.NaN) / (round["reference"] ?? Number.NaN),
  ratioName: "ours / reference",
  limit: 2,
});
verdict.finish();

function grow(): void {
  const filler = "        Customer.SetRange(\"No.\", 'It''s here'); // a line like any other\n".repeat(200);
  for (let index = 0; index < fileCount; index += 1) {
    const folder = join(root, `area${Math.floor(index / 300)}`);
    mkdirSync(folder, { recursive: true });
    const calls = Math.floor(((index + 1) * fixCount) / fileCount) - Math.floor((index * fixCount) / fileCount);
    const lines = Array.from({ length: calls }, (_, call) => `        Error('Number %1 is wrong', ${call});\n${filler}`).join("");
    writeFileSync(
      join(folder, `F${index}.Codeunit.al`),
      `codeunit ${50_000 + index} F\n{\n    procedure P()\n    begin\n${lines}    end;\n}\n`,
    );
  }
}

async function planAll(): Promise<FileEdit[]> {
  const made: FileEdit[] = [];
  for (const { path, hash = "", edits } of fixes) {
    const planned = await workspace.planEdit(root, path, hash, edits);
    if (planned !== undefined) made.push(planned);
  }
  return made;
}

/** Everything a batch does with files: planning reads each one, and what undoes it is durable before the first is touched. */
async function runBatch(): Promise<void> {
  plans = await planAll();
  const record = openSync(undoFile, "w");
  writeSync(record, plans.map((plan) => JSON.stringify(plan)).join("\n"));
  fsyncSync(record);
  closeSync(record);
  const outcomes: EditOutcome[] = [];
  for (let at = 0; at < plans.length; at += chunk) outcomes.push(...(await workspace.applyEdits(root, plans.slice(at, at + chunk))));
  counts.failed += outcomes.filter(({ status }) => status === "failed").length + (paths.length - outcomes.length);
}

function writeOneByOne(): void {
  for (const [path, bytes] of after) {
    const place = join(root, path);
    const beside = join(dirname(place), `.beside-${process.pid}.tmp`);
    const handle = openSync(beside, "w");
    writeSync(handle, bytes);
    fsyncSync(handle);
    closeSync(handle);
    renameSync(beside, place);
  }
}

/** Puts the old content back, and lets the disk come to rest. */
function restore(): void {
  for (const [path, bytes] of before) writeFileSync(join(root, path), bytes);
  const folder = openSync(root, "r");
  fsyncSync(folder);
  closeSync(folder);
}
