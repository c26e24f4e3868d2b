import { readdir, readFile, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Json } from "../../src/base/index.ts";
import type { AtomicStep } from "../../src/views/index.ts";
import { subAgent, type SeedRun } from "./seed-bench.ts";
import { openTestEngine, type TestEngine } from "./test-engine.ts";

const root = join(import.meta.dirname, "../..");

/** Every text file below a folder, by its path there. */
export async function readTree(folder: string): Promise<Record<string, string>> {
  const files: Record<string, string> = {};
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const name = path.slice(folder.length + 1).replaceAll("\\", "/");
    if (!name.startsWith(".waymark/store/")) files[name] = await readFile(path, "utf8");
  }
  return files;
}

/** An example copied to a workspace of its own, with its tool server beside it or with none configured. */
export async function openExample(name: string, options: { readonly server: boolean }): Promise<TestEngine> {
  const files = await readTree(join(root, "examples", name));
  if (!options.server) delete files[".waymark/config.yaml"];
  const engine = await openTestEngine(files);
  const base = dirname(engine.folder);
  for (const [path, text] of Object.entries(await readTree(join(root, "examples/tool-server"))))
    await engine.write(`../tool-server/${path}`, text);
  await symlink(join(root, "node_modules"), join(base, "node_modules"));
  return engine;
}

/** Carries a step out; what it throws is reported as the step's failure. */
export type Doer = (step: AtomicStep, task: string | undefined) => Json | undefined | Promise<Json | undefined>;

export interface Done {
  readonly id: string;
  readonly type: string;
  readonly task?: string;
}

/** Drives a run to its end as an agent would: step after step, and a sub-agent in a conversation of its own for each task. */
export async function drive(run: SeedRun, doer: Doer): Promise<Done[]> {
  const done: Done[] = [];
  for (let rounds = 0; rounds < 2000; rounds += 1) {
    const { step } = run;
    if (step === null && run.position.standing.kind !== "working" && run.position.standing.kind !== "joining") return done;
    if (step === null) await run.next();
    else if (step.type === "parallel_tasks") {
      done.push({ id: step.id, type: step.type });
      const tasks = step.definition["tasks"] as readonly { readonly task_id: string }[];
      const inner = await Promise.all(
        tasks.map(async ({ task_id }) => drive(await run.open(task_id, subAgent(run.caller, task_id)), doer)),
      );
      done.push(...inner.flat());
      await run.next();
    } else {
      done.push({ id: step.id, type: step.type, ...(run.task === undefined ? {} : { task: run.task }) });
      await carryOut(run, step, doer);
    }
  }
  throw new Error("The run does not come to an end.");
}

async function carryOut(run: SeedRun, step: AtomicStep, doer: Doer): Promise<void> {
  let result: Json | undefined;
  try {
    result = await doer(step, run.task);
  } catch (error) {
    await run.fail(error instanceof Error ? error.message : String(error));
    return;
  }
  await run.done(result);
}
