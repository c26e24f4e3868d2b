import { writeSync } from "node:fs";
import { isWaymarkError } from "../../src/base/index.ts";
import { next, progress, start, updateState } from "../../src/engine/index.ts";
import { composeEngine } from "./compose-engine.ts";

/** A process on a disk that refuses, as JSON in its first argument. */
export interface DiskTask {
  readonly base: string;
  readonly run: string;
  /** `fill` writes until it is refused, then asks on; `large` lets a command print more than fits; `write` reports once. */
  readonly do: "fill" | "large" | "write";
  readonly asUser?: number;
}

export interface DiskLine {
  readonly recorded?: number;
  readonly code?: string;
  readonly message?: string;
  readonly fix?: string | undefined;
  readonly standing?: unknown;
}

const task = JSON.parse(process.argv[2] ?? "{}") as DiskTask;
const say = (line: DiskLine): void => void writeSync(1, `${JSON.stringify(line)}\n`);
const complain = (error: unknown): void => {
  if (isWaymarkError(error)) say({ code: error.code, message: error.message, fix: error.fix });
  else say({ code: "UNKNOWN", message: String(error) });
};

async function work(): Promise<void> {
  if (task.asUser !== undefined) process.setuid?.(task.asUser);
  const engine = await composeEngine({
    base: task.base,
    settings: { commandOutputBytes: 1_000, callWaitMs: 5_000 },
    logged: () => undefined,
  });
  const caller = engine.caller();
  try {
    const { standing } = await next(engine.context, caller, { run: task.run, takeOver: true });
    if (task.do === "write") await progress(engine.context, caller, { run: task.run });
    if (task.do === "large") say({ standing: (await start(engine.context, caller, { workflow: "disk:large" })).standing });
    for (let n = 0; task.do === "fill" && n < 10_000; n += 1) {
      await updateState(engine.context, caller, {
        run: task.run,
        updates: [{ path: "raw.log", operation: "append", value: `${n} ${"x".repeat(20_000)}` }],
      });
      say({ recorded: n });
    }
    say({ standing });
  } catch (error) {
    complain(error);
    const { standing } = await next(engine.context, caller, { run: task.run });
    say({ standing });
  } finally {
    await engine.close();
  }
}

await work().catch(complain);
