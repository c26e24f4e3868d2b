/** Applies or undoes plans and prints what became of them; ends itself by SIGKILL at the n-th crossing of a border, if asked to. */
import { readFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import threads, { Worker, type WorkerOptions } from "node:worker_threads";
import { createWorkspace } from "../../src/workspace/create-workspace.ts";
import type { FileEdit } from "../../src/ports/index.ts";

const [root = "", plans = "", what = "", point = "", count = "0"] = process.argv.slice(2);
let left = Number(count);

/** Runs before the program of the thread that renames: the n-th renaming there is the last thing that this process does. */
const killing = `{
  const fs = require("node:fs");
  const { renameSync } = fs;
  let left = ${left};
  fs.renameSync = (from, to) => {
    renameSync(from, to);
    left -= 1;
    if (left === 0) process.kill(process.pid, "SIGKILL");
  };
}`;

/** The main thread hears of a renaming only while the next ones are being done, which is too late to end at an exact one. */
class KillingWorker extends Worker {
  constructor(program: string, options: WorkerOptions) {
    super(`${killing}\n${program}`, options);
  }
}
if (point === "renamed") {
  Object.assign(threads, { Worker: KillingWorker });
  syncBuiltinESMExports();
}

const workspace = createWorkspace({
  workers: 0,
  faults: (at) => {
    if (at !== point) return;
    left -= 1;
    if (left === 0) process.kill(process.pid, "SIGKILL");
  },
});
const edits = JSON.parse(readFileSync(plans, "utf8")) as FileEdit[];
process.stdout.write("begun\n");
const outcomes = await (what === "apply" ? workspace.applyEdits(root, edits) : workspace.undoEdits(root, edits));
process.stdout.write(`${JSON.stringify(outcomes)}\n`);
