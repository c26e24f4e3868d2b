import { existsSync } from "node:fs";
import { join } from "node:path";
import { openDrivenPackage, type DrivenPackage } from "../support/driven-package.ts";
import { openSqliteStore } from "../../src/store/index.ts";
import { readConversations, type Conversations } from "./read-conversations.ts";
import { driftingScript } from "./worker-kinds.ts";

export interface ReviewOptions {
  readonly files: number;
  readonly workers: number;
  /** Runners that are killed; as many others are interrupted, and the last one is left alone. */
  readonly kills: number;
  readonly seed: number;
}

export interface ReviewEnd extends Conversations {
  readonly killed: number;
  readonly interrupted: number;
  readonly counts: Readonly<Record<string, number>>;
  readonly complaints: readonly string[];
}

const workflow = `type: many
name: Many
description: One look at every file
version: "1.0.0"
file_patterns: ["**/*.txt"]
phases:
  - { id: inventory, name: Inventory, description: Lists the files. }
  - { id: review, name: Review, description: Every file. }
per_file_checklist:
  - { id: judge, type: validation, description: Judge it. }
completion_rules: { require_all_files: true, require_all_checklist_items: true, allow_skip_with_reason: true }
`;

/** Reviews many files with several workers whose agents drift and whose runners are killed, and says what did not hold. */
export async function reviewByWorkers({ files, workers, kills, seed }: ReviewOptions): Promise<ReviewEnd> {
  const names = Array.from({ length: files }, (_, at) => `f${String(at).padStart(4, "0")}.txt`);
  const built = await openDrivenPackage(
    { ".waymark/workflows/many.workflow.yaml": workflow, ...Object.fromEntries(names.map((name) => [name, `${name}\n`])) },
    { agents: { fake: { script: driftingScript } }, allow: ["many"], drive: { workers } },
  );
  try {
    const complaints: string[] = [];
    const random = mulberry(seed);
    const share = Math.floor(files / (2 * kills + 1));
    let [run, killed, interrupted] = ["", 0, 0];
    for (let runner = 0; ; runner += 1) {
      const how = runner >= 2 * kills ? undefined : runner % 2 === 0 ? "SIGKILL" : "SIGINT";
      const lines = 1 + Math.floor((random() * share) / 3);
      const end = await runOnce(built, run === "" ? ["run", "many", "--agent", "fake"] : ["drive", run, "--agent", "fake"], { how, lines });
      run ||= /wf-[\w-]+/.exec(end.stdout)?.[0] ?? "";
      if (end.code === "SIGKILL") killed += 1;
      else if (end.code === 4 && how === "SIGINT") interrupted += 1;
      else if (end.code === 0 && end.stdout.includes("is complete.")) break;
      else if (runner > 2 * kills) {
        complaints.push(`runner ${runner} ended with ${end.code}: ${end.stdout.slice(-600)} ${end.stderr.slice(-600)}`);
        break;
      }
    }
    return { killed, interrupted, ...(await judge(built, run, names, complaints)) };
  } finally {
    await built.close();
  }
}

interface Stopping {
  readonly how: "SIGKILL" | "SIGINT" | undefined;
  /** Of its output that name a worker, before the signal: fewer than files, since the screen looks at the run now and then. */
  readonly lines: number;
}

async function runOnce(
  built: DrivenPackage,
  args: readonly string[],
  { how, lines }: Stopping,
): Promise<{ code: number | string; stdout: string; stderr: string }> {
  const child = built.start(args);
  child.process.stdin.end();
  let left = lines;
  child.process.stdout.on("data", (chunk: Buffer) => {
    left -= chunk.toString().split("worker ").length - 1;
    if (how !== undefined && left <= 0) child.process.kill(how);
    if (left <= 0) left = Infinity;
  });
  const code = await child.ended;
  return { code, stdout: child.stdout(), stderr: child.stderr() };
}

/** What agents saw, and what is recorded. */
async function judge(
  built: DrivenPackage,
  run: string,
  names: readonly string[],
  complaints: string[],
): Promise<Omit<ReviewEnd, "killed" | "interrupted">> {
  const seen = await readConversations(built.beside("requests.jsonl"), names, complaints);
  return { ...seen, counts: await accountOf(built, run, names, complaints), complaints };
}

/** What the journal says of each file: every one has an end, and none is handed out after it. */
async function accountOf(
  built: DrivenPackage,
  run: string,
  names: readonly string[],
  complaints: string[],
): Promise<Record<string, number>> {
  const folder = join(built.workspace, ".waymark/store");
  if (!existsSync(folder)) throw new Error("There is no store.");
  const store = await openSqliteStore({ folder });
  const fileOfAction = new Map<string, string>();
  const acknowledged = new Set<string>();
  try {
    for (let after = 0; ;) {
      const records = await store.readRecords(run, after, 500);
      for (const { events } of records)
        for (const event of JSON.parse(events) as { type: string; action?: unknown; how?: string }[]) {
          if (event.type === "action_opened") {
            const { id } = event.action as { readonly id: string };
            const file = /\bf\d+\.txt\b/.exec(JSON.stringify(event.action))?.[0] ?? "";
            fileOfAction.set(id, file);
            if (acknowledged.has(file)) complaints.push(`${file} was handed out again after its report was recorded`);
          }
          const file = fileOfAction.get(typeof event.action === "string" ? event.action : "") ?? "";
          if (event.type === "action_closed" && event.how === "reported" && file !== "") acknowledged.add(file);
        }
      if (records.length === 0) break;
      after = records.at(-1)?.position ?? after;
    }
    if (acknowledged.size !== names.length) complaints.push(`${acknowledged.size} files were reported`);
    return await countEntries(store, run, names.length, complaints);
  } finally {
    await store.close();
  }
}

/** The entries of all files by status; each has an end, and a skipped one a reason. */
async function countEntries(
  store: Awaited<ReturnType<typeof openSqliteStore>>,
  run: string,
  files: number,
  complaints: string[],
): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const list of await store.itemLists(run))
    for (const { id, parent, status, reason = "" } of await store.selectItems(run, { list, query: {}, limit: 10 * files })) {
      if (parent === undefined) continue;
      counts[status] = (counts[status] ?? 0) + 1;
      if (!["completed", "skipped", "failed"].includes(status)) complaints.push(`${id} is ${status}`);
      if (status === "skipped" && reason === "") complaints.push(`${id} was skipped without a reason`);
    }
  return counts;
}

/** Numbers from 0 to 1 that are the same for the same seed. */
function mulberry(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
