import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { composeEngine } from "../../../../test/crash/compose-engine.ts";
import { reported } from "../../../../test/support/scripted-team.ts";
import { isObject, textOf, type JsonObject } from "../../../base/index.ts";
import { answer, next, progress, start } from "../../../engine/index.ts";

let base = "";
beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), "waymark-killed-"));
  const page = await readFile(new URL("../../../../docs/machines.md", import.meta.url), "utf8");
  const machine = /```yaml\n([\s\S]*?)```/.exec(page)?.[1] ?? "";
  await write(".waymark/workflows/notes.machine.yaml", machine);
  for (const role of ["writer", "reviewer"]) await write(`.waymark/workflows/roles/${role}.md`, "Work on the notes.");
});
afterEach(() => rm(base, { recursive: true, force: true }));

async function write(path: string, text: string): Promise<void> {
  const target = join(base, "work", path);
  await mkdir(dirname(target), { recursive: true });
  await writeFile(target, text);
}

const borders = ["temporary_created", "temporary_synced", "renamed", "before commit", "after commit"] as const;
interface Death {
  readonly at: (typeof borders)[number];
  readonly nth: number;
}

/** A process that can do nothing any more once it is at the place where it dies; true when it came to the end of the run before. */
async function live(death: Death | undefined, asked: string[]): Promise<boolean> {
  let crossed = 0;
  let isDead = false;
  let die = (): void => undefined;
  const died = new Promise<undefined>((resolve) => {
    die = () => resolve(undefined);
  });
  const cross = (at: string): void => {
    if (at === death?.at) crossed += 1;
    if (death !== undefined && crossed >= death.nth && !isDead) {
      isDead = true;
      die();
    }
    if (isDead) throw new Error("dead");
  };
  const engine = await composeEngine({
    base,
    store: async (_name, _args, call) => {
      cross("before commit");
      const done = await call();
      cross("after commit");
      return done;
    },
    faults: (at, place) => {
      if (place.includes(".agents-work")) cross(at);
    },
    logged: () => undefined,
  });
  const { context } = engine;
  const caller = engine.caller();
  const turn = async (run: string): Promise<boolean> => {
    const { standing } = await next(context, caller, { run, takeOver: true, waitMs: 10_000 });
    if (standing.kind === "question") {
      asked.push(standing.decision.question);
      await answer(context, engine.person(), {
        run,
        decision: standing.decision.id,
        answer: standing.decision.id === "UD-PUBLISH" ? "approved" : "take-over",
        relayed: false,
      });
    } else if (standing.kind === "action") await work(run, standing.action.id, standing.action.args["dispatch"] as JsonObject);
    return standing.kind === "ended";
  };
  const work = async (run: string, action: string, dispatch: JsonObject): Promise<void> => {
    const session = textOf(dispatch["session"] ?? "");
    if (dispatch["role"] === "Writer") await write(`${session}/notes.md`, "## Changes\n\nOne.\n\n## Upgrade\n\nNothing to do.\n");
    const result = isObject(dispatch["report"]) ? dispatch["report"] : reported("OK", "Done.");
    await progress(context, caller, { run, action, status: "success", result, waitMs: 0 });
  };
  const whole = async (): Promise<boolean> => {
    const run = (await context.store.listRuns({}))[0]?.id ?? (await begin());
    while (!isDead) if (await turn(run)) return true;
    return false;
  };
  const begin = async (): Promise<string> => {
    const { hash } = await context.catalog.load("notes");
    await engine.host.permissions.grant({ hash, workflow: "notes", workspace: engine.host.workspace, runs: [], unattended: true });
    return (await start(context, caller, { workflow: "notes", inputs: { request: "Version 2.1" }, waitMs: 0 })).run;
  };
  const working = whole();
  try {
    return (await Promise.race([working, died])) === true;
  } catch (error) {
    if (!isDead) throw error;
    return false;
  } finally {
    working.catch(() => undefined);
    await engine.close();
  }
}

test.each(borders)("a process that takes up a run that died at `%s` knows what Waymark wrote itself", async (at) => {
  const asked: string[] = [];
  let deaths = 0;
  // Some die at the same write again, others further on: most effects of the run have their turn.
  while (!(await live(deaths < 8 ? { at, nth: 1 + (deaths % 3) } : undefined, asked))) deaths += 1;
  expect(deaths).toBe(8);
  expect([...new Set(asked)].filter((question) => question.includes("someone else"))).toEqual([]);
});
