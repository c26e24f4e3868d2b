import { entryNamed } from "../../dialects/checklist/run/index.ts";
import { isMinted, type About } from "../../engine/index.ts";
import type { ToolCall } from "../tool.ts";
import type { ProgressArguments } from "./report-checklist.ts";

/** A report and what this client said before: without an id of its own, the same words may be the same call again. */
export interface SaidOfEntry {
  /** With the id of the hand-out where the report names it in another way. */
  readonly args: ProgressArguments;
  /** What the same words were about. */
  readonly before?: About | undefined;
  readonly remember: (about: About) => void;
}

export async function saidOfEntry({ engine, caller }: ToolCall, args: ProgressArguments): Promise<SaidOfEntry> {
  const { run, actionId: name, worker: _worker, ...rest } = args;
  const { handOuts } = engine;
  if (name === undefined) {
    const said = JSON.stringify(rest);
    return {
      args,
      before: handOuts.saidBefore(caller, run, said),
      remember: (about) => handOuts.said(caller, run, said, about),
    };
  }
  const handle = await engine.runs.open(run);
  if (isMinted(name) || handle.state.actions[name] !== undefined || handle.state.decisions[name] !== undefined)
    return { args, remember: () => undefined };
  const said = engine.host.sha256(JSON.stringify(rest));
  const before = handOuts.saidBeforeOf(caller, run, name, said);
  const id = entryNamed(engine, caller, handle, name);
  if (id === undefined) return { args, before, remember: () => undefined };
  return { args: { ...args, actionId: id }, before, remember: (about) => handOuts.saidOf(caller, run, name, { said, about }) };
}
