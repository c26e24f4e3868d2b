import { isObject, type Json, type JsonObject } from "../../../base/index.ts";
import type { EngineContext } from "../../../engine/index.ts";
import type { BotRun } from "./bot-run.ts";
import { inArea } from "./project-area.ts";

/** Says that the open action is done; others write it and wait for it. */
const doneFile = "action_is_done.json";
/** Limits the work. */
const scopeFile = "scope.json";

interface FoundObject {
  readonly path: string;
  /** undefined: there is none, or it cannot be used. */
  readonly value?: JsonObject;
  readonly hash: string | null;
  readonly problem?: string;
}

/** A small file of the project area that holds a map. */
async function readObject({ workspace, host }: EngineContext, { area }: BotRun, name: string): Promise<FoundObject> {
  const path = inArea(area, name);
  const found = area === "" ? undefined : await workspace.read(host.workspace, path);
  if (found === undefined) return { path, hash: null };
  const { hash } = found;
  try {
    const value = JSON.parse(new TextDecoder().decode(found.bytes)) as Json;
    if (isObject(value)) return { path, hash, value };
    return { path, hash, problem: `${path} holds no map` };
  } catch {
    return { path, hash, problem: `${path} is not JSON` };
  }
}

/** Limits of the work that the project names. */
export async function readScope(context: EngineContext, run: BotRun): Promise<{ readonly scope?: JsonObject; readonly problem?: string }> {
  const { value, problem } = await readObject(context, run, scopeFile);
  if (problem !== undefined) return { problem: `${problem}, so it limits nothing.` };
  return value === undefined ? {} : { scope: value };
}

async function readDone(context: EngineContext, run: BotRun): Promise<FoundObject & { readonly done: boolean }> {
  const found = await readObject(context, run, doneFile);
  const said = found.value?.["action_is_done"];
  if (found.value === undefined || typeof said === "boolean") return { ...found, done: said === true };
  return { ...found, done: false, problem: `${found.path} says neither true nor false as \`action_is_done\`` };
}

/** Whether the file says that the action is done which was started last. */
export async function saysDone(context: EngineContext, run: BotRun): Promise<boolean> {
  return (await readDone(context, run)).done;
}

/** An action begins: what was said of the one before it is over. Other keys of the file stay. */
export async function clearDone(context: EngineContext, run: BotRun): Promise<void> {
  const { path, done, value, hash } = await readDone(context, run);
  if (!done) return;
  const text = `${JSON.stringify({ ...value, action_is_done: false })}\n`;
  // Somebody who writes at the same moment speaks of the action that begins.
  await context.workspace.writeFile(context.host.workspace, path, new TextEncoder().encode(text), hash);
}

/** What is wrong with either of them. */
export async function signalProblems(context: EngineContext, run: BotRun): Promise<readonly string[]> {
  const done = await readDone(context, run);
  const { problem } = await readScope(context, run);
  return [
    ...(done.problem === undefined ? [] : [`${done.problem}, so it counts for nothing.`]),
    ...(problem === undefined ? [] : [problem]),
  ];
}
