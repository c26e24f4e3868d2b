/** Applies or undoes plans and prints what became of them; ends itself by SIGKILL at the n-th crossing of a border, if told so. */
import { readFileSync } from "node:fs";
import { createWorkspace } from "./index.ts";
import type { FileEdit } from "../ports/index.ts";

const [root = "", plans = "", what = "", point = "", count = "0"] = process.argv.slice(2);
let left = Number(count);
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
