import type { JsonObject } from "../base/index.ts";
import { emptyState, mainStrand, transition, type CarriedBudget, type RunOptions } from "../kernel/index.ts";
import type { Budget, Program } from "../program/index.ts";
import { answerDefaults } from "../state/index.ts";
import { actorOf, type Caller } from "./caller.ts";
import type { LoadedWorkflow } from "./catalog.ts";
import { fromRejected, refused } from "./codes.ts";
import type { EngineContext } from "./context.ts";
import { evaluationIn, walkReady } from "./commit-inputs.ts";
import { Draft } from "./draft.ts";

/** Blob hashes of what a run keeps for its whole life, whatever happens to the files. */
export interface Pin {
  readonly program: string;
  readonly sources: string;
}

export interface Creation {
  readonly run: string;
  readonly program: Program;
  readonly pin: Pin;
  readonly inputs: JsonObject;
  readonly options: RunOptions;
  readonly budget: Budget;
  /** False: the caller does not drive it; the first one that asks does. */
  readonly held?: boolean;
  /** The run that this one tries again, how far its ids are counted, and what is left of its budget. */
  readonly retryOf?: { readonly run: string; readonly seq: number; readonly carried: CarriedBudget };
}

export async function pinWorkflow({ store }: EngineContext, workflow: LoadedWorkflow): Promise<Pin> {
  const bytes = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));
  const program = await store.putBlob(bytes(workflow.program));
  const sources = await store.putBlob(bytes(workflow.files.map(({ path, text }) => ({ path, text }))));
  return { program: program.hash, sources: sources.hash };
}

/** Creates the run, with its holder if it has one, and everything up to its first wait, in one commit. */
export async function createRun(context: EngineContext, caller: Caller, creation: Creation): Promise<void> {
  const { run, program, pin, inputs, options, budget, retryOf, held = true } = creation;
  const { store } = context;
  const at = await store.now();
  const by = actorOf(caller);
  const defaults = await answerDefaults(evaluationIn(context), { id: run, program }, { part: program.main, inputs });
  if (defaults.type === "error")
    throw refused(defaults.code, `${defaults.message} Nothing was started.`, "Correct `default_state`, or give inputs it can work with.");
  const draft = new Draft(emptyState);
  const startInput = {
    type: "start" as const,
    id: run,
    program: pin.program,
    inputs,
    defaults: { raw: defaults.raw, state: defaults.state, fixed: defaults.fixed },
    options,
    budget,
    at,
    by,
    ...(retryOf === undefined ? {} : { retryOf: retryOf.run, countsFrom: retryOf.seq, carried: retryOf.carried }),
  };
  draft.begin({ input: startInput, key: "start" });
  const claim = { type: "claim" as const, strand: mainStrand, holder: caller.holder, at, by };
  for (const input of held ? [startInput, claim] : [startInput]) {
    const decided = transition(program, draft.state, input);
    if ("rejected" in decided) throw fromRejected(decided.rejected);
    draft.add(decided.events, decided.state);
  }
  await walkReady(context, { id: run, program }, draft);
  const commit = await draft.commit(context.store, { program });
  if (held) await context.holding.takeNew(run, mainStrand, caller);
  await store.createRun({ id: run, workflow: program.name, ...pin }, commit);
}

/** `wf-<name>-<YYYY-MM-DD>-<6 characters>`, the name with letters, digits and hyphens only. */
export function runId(name: string, at: number, six: string): string {
  const plain =
    name
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, "-")
      .replace(/^-+|-+$/g, "")
      .slice(0, 40) || "run";
  return `wf-${plain}-${new Date(at).toISOString().slice(0, 10)}-${six}`;
}
