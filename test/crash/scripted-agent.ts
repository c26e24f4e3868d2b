import { setTimeout as sleep } from "node:timers/promises";
import { isWaymarkError, type Json } from "../../src/base/index.ts";
import { next, progress, type Caller, type Position } from "../../src/engine/index.ts";
import type { Action } from "../../src/kernel/index.ts";
import type { ComposedEngine } from "./compose-engine.ts";

/** What the agent tells its surroundings. `did` before it reports, `acknowledged` after the engine said that it is recorded. */
export interface AgentEvents {
  did(action: Action): void;
  acknowledged(facts: { readonly action: string; readonly step: string; readonly result: Json }): void;
}

/** An agent without a model: it does every step at once, the same way each time, and drives sub-agents for open tasks. */
export async function driveToEnd(engine: ComposedEngine, caller: Caller, run: string, events: AgentEvents): Promise<Position> {
  for (;;) {
    const position = await asked(() => next(engine.context, caller, { run }));
    if (position.state.status !== "running") return position;
    await act(engine, caller, position, events);
  }
}

async function act(engine: ComposedEngine, caller: Caller, position: Position, events: AgentEvents): Promise<void> {
  const { run, standing } = position;
  if (standing.kind === "action" && standing.action.what === "parallel_tasks") {
    await Promise.all((standing.tasks ?? []).map(({ task }) => driveTask(engine, run, task, events)));
  } else if (standing.kind === "action") await reportAction(engine, caller, { run, action: standing.action }, events);
  else if (standing.kind === "question") {
    const { id, step, options } = standing.decision;
    const result = options?.[0]?.value ?? "yes";
    await progress(engine.context, caller, { run, action: id, result });
    events.acknowledged({ action: id, step, result });
  }
}

/** A sub-agent: a holder of its own that works on one task until that has ended. */
async function driveTask(engine: ComposedEngine, run: string, task: string, events: AgentEvents): Promise<void> {
  const caller = engine.caller(`sub-${task}`);
  for (;;) {
    const { standing } = await asked(() => next(engine.context, caller, { run, task }));
    if (standing.kind !== "action" && standing.kind !== "working") return;
    if (standing.kind === "action") await reportAction(engine, caller, { run, task, action: standing.action }, events);
  }
}

interface Work {
  readonly run: string;
  readonly task?: string;
  readonly action: Action;
}

async function reportAction(engine: ComposedEngine, caller: Caller, { run, task, action }: Work, events: AgentEvents): Promise<void> {
  events.did(action);
  const result = resultOf(action);
  await progress(engine.context, caller, { run, action: action.id, result, ...(task === undefined ? {} : { task }) });
  events.acknowledged({ action: action.id, step: action.step, result });
}

/** The same for the same step, whoever does it and however often. */
export function resultOf(action: Action): Json {
  return `${action.step} ${JSON.stringify(action.args["params"] ?? action.args["message"] ?? action.args["command"] ?? null)}`;
}

/** Waits while a holder that died is still believed alive. */
async function asked(ask: () => Promise<Position>): Promise<Position> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!isWaymarkError(error) || error.code !== "STRAND_HELD") throw error;
      await sleep(20);
    }
  }
}
