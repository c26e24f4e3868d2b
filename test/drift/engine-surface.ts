import { isObject, type Json } from "../../src/base/index.ts";
import {
  completeChecklist,
  describeCheck,
  gatherFacts,
  previewBatch,
  reportCheck,
  runBatch,
  undoBatch,
  waitForBatch,
} from "../../src/dialects/checklist/run/index.ts";
import { next, progress, start, updateState, type Position } from "../../src/engine/index.ts";
import type { TestEngine } from "../support/test-engine.ts";
import { nothingOpen, type Open, type Surface } from "./surface.ts";

const waitMs = 20_000;

/** An agent that calls the engine's commands, as the tools do. */
export function engineSurface(engine: TestEngine): Surface {
  const { context, caller } = engine;
  return {
    session: caller.holder.session,
    async start(workflow) {
      return (await start(context, caller, { workflow, waitMs })).run;
    },
    async next(run, takeOver = false) {
      const position = await taken(engine, run, takeOver);
      const open = openOf(position);
      if (open.kind === "check") return { ...open, ...(await described(engine, position)) };
      if (open.kind !== "blocked") return open;
      const { blocked } = await gatherFacts(context, run);
      return { ...open, why: blocked?.reason ?? open.why, ways: blocked?.ways ?? [] };
    },
    report: async (run, report) => (await reportCheck(context, caller, { run, ...report })).recorded,
    answer: async (run, question, value) =>
      (await progress(context, caller, { run, action: question, result: value, waitMs })).reported.recorded,
    progress: async (run, action, result) => (await progress(context, caller, { run, action, result, waitMs })).reported.recorded,
    write: async (run, path, value) => void (await updateState(context, caller, { run, updates: [{ path, value }] })),
    complete: async (run) => (await completeChecklist(context, caller, run)).state.status,
    async preview(run, operation, filter) {
      const reason = operation === "skip_instances" ? { reason: "all of them are left" } : {};
      return (await previewBatch(context, caller, { run, operation, filter, ...reason })).token;
    },
    async confirm(run, token) {
      const { batch } = await runBatch(context, caller, { run, token });
      const record = await waitForBatch(context, { run, batch, waitMs });
      const { previewed, modified, failed, left_out: leftOut, done } = record;
      return { batch, previewed, modified, failed, leftOut, done };
    },
    undo: async (run, batch) => void (await undoBatch(context, caller, { run, batch, waitMs })),
    async look(run) {
      const { files } = await gatherFacts(context, run);
      return { total: files.total, open: files.pending + files.inProgress };
    },
    die: () => engine.close(),
    hang: () => context.holding.close(),
  };
}

/** Whoever takes over and finds everything in other hands names the first part that is held. */
async function taken({ context, caller }: TestEngine, run: string, takeOver: boolean): Promise<Position> {
  const position = await next(context, caller, { run, takeOver, waitMs: 300 });
  const [first] = takeOver && position.standing.kind === "joining" ? position.standing.tasks : [];
  return first === undefined ? position : next(context, caller, { run, task: first.strand, takeOver, waitMs: 300 });
}

/** Places move while a file is worked on: they are read when the item is shown. */
async function described({ context }: TestEngine, { run, standing }: Position): Promise<Partial<Open>> {
  if (standing.kind !== "action") return {};
  return handed((await describeCheck(context, await context.runs.open(run), standing.action))?.item);
}

function openOf({ standing }: Position): Open {
  switch (standing.kind) {
    case "action": {
      const { id, what, args } = standing.action;
      const kind =
        what === "check" ? "check" : what === "batch_apply" ? "batch" : what === "complete_workflow" ? ("complete" as const) : "other";
      return { ...nothingOpen, kind, id, ...handed(args["item"]) };
    }
    case "question": {
      const { id, question, options = [], answerBy } = standing.decision;
      const asked = { text: question, options: options.map(({ value }) => value), person: answerBy === "person" };
      return { ...nothingOpen, kind: "question", id, question: asked };
    }
    case "blocked":
      return { ...nothingOpen, kind: "blocked", why: standing.reason };
    case "ended":
      return { ...nothingOpen, kind: "ended" };
    case "working":
    case "joining":
      return { ...nothingOpen, kind: "waiting" };
    case "task_ended":
      return nothingOpen;
  }
}

function handed(item: Json | undefined): Partial<Open> {
  if (!isObject(item)) return {};
  const fields = item as Readonly<Record<string, string | number>>;
  return {
    file: String(fields["file"] ?? ""),
    item: String(fields["entry"] ?? fields["id"] ?? ""),
    instance: fields["kind"] === "instance",
    place: { line: Number(fields["line"] ?? 0), column: Number(fields["column"] ?? 0), call: String(fields["text"] ?? "") },
  };
}
