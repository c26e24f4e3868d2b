import { refused, takeLease, type EngineContext } from "../../../engine/index.ts";
import { botOf, type BotRun } from "./bot-run.ts";
import { isObject, type Json, type JsonObject } from "../../../base/index.ts";

/** Names of the two files in a project area. */
export const stateFile = "workflow_state.json";
export const logFile = "activity_log.json";

/** A path below the project area, relative to the workspace. */
export function inArea(area: string, path: string): string {
  return area === "." ? path : `${area}/${path}`;
}

export type ChosenArea = { readonly area: string } | { readonly refused: string };

/** A project area as it is kept: relative to the workspace, with `/`. It is inside the workspace and never in a bot's own folder. */
export function chosenArea(workspace: string, given: string): ChosenArea {
  const text = given.trim().replaceAll("\\", "/");
  const below = text === workspace ? "." : text.startsWith(`${workspace}/`) ? text.slice(workspace.length + 1) : text;
  const names = below.split("/").filter((name) => name !== "" && name !== ".");
  if (text === "") return { refused: "No folder was named as the project area." };
  if (below.startsWith("/") || /^[a-z]:/i.test(below) || names.includes("..") || below.includes("\0"))
    return { refused: `\`${given}\` is outside the workspace, so it cannot be the project area.` };
  if (names[0] === ".waymark" || names[0] === ".aromcp" || names[0] === ".git" || names.includes("node_modules"))
    return { refused: `\`${given}\` belongs to Waymark or other tools, so it cannot be the project area.` };
  return { area: names.length === 0 ? "." : names.join("/") };
}

/** An area that a bot is about to take, as it was given; `run` is absent before one is started. */
interface WantedArea extends Readonly<Record<"bot" | "area", string>> {
  readonly run?: string;
}

/** The open run of the same bot that keeps its files there. Two runs in one area would take each other's entries for foreign ones. */
export async function holderOfArea(context: EngineContext, { bot, area: given, run }: WantedArea): Promise<string | undefined> {
  const chosen = chosenArea(context.host.workspace, given);
  if (!("area" in chosen)) return undefined;
  for (const row of await context.store.listRuns({ workflow: bot, status: ["running"] })) {
    if (row.id === run) continue;
    const held = chosenArea(context.host.workspace, botOf(await context.runs.open(row.id))?.area ?? "");
    if ("area" in held && held.area === chosen.area) return row.id;
  }
  return undefined;
}

export function takenText(area: string, holder: string): string {
  return `\`${area}\` is the project area of run \`${holder}\`, which is open, and two runs cannot write the same files.`;
}

export async function refuseTakenArea(context: EngineContext, wanted: WantedArea): Promise<void> {
  const holder = await holderOfArea(context, wanted);
  if (holder === undefined) return;
  throw refused(
    "ENGINE_AREA_TAKEN",
    `${takenText(wanted.area, holder)} Nothing was changed.`,
    `Continue that run (workflow_next, or \`waymark next ${holder}\`), end it first (workflow_abort, or \`waymark abort ${holder}\`), or name another folder.`,
    { run_id: holder },
  );
}

const pauseMs = 15;
let turns = 0;

/** One at a time writes the files of a project area, whichever process or bot it is for. A turn whose process died ends by itself. */
export async function holdArea<T>(context: EngineContext, area: string, work: () => Promise<T>): Promise<T> {
  const { store, host, settings } = context;
  const key = `bot-area/${area}`;
  turns += 1;
  const owner = `${host.processId}/${turns}`;
  const deadline = (await store.now()) + 2 * settings.leaseTtlMs;
  for (;;) {
    const fence = ((await store.readLease(key))?.fence ?? 0) + 1;
    if ((await takeLease(context, { key, owner, fence, ttlMs: settings.leaseTtlMs })).granted) break;
    if ((await store.now()) > deadline)
      throw refused(
        "ENGINE_BOT_FILE",
        `The files of ${area} are being written by another process for too long.`,
        "Retry the run in a moment.",
      );
    await host.alarms.wait(pauseMs);
  }
  try {
    return await work();
  } finally {
    await store.releaseLease(key, owner).catch(() => undefined);
  }
}

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
    return isObject(value) ? { path, hash, value } : { path, hash, problem: `${path} holds no map` };
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
  // Another program that writes at the same moment means the action that begins.
  await context.workspace.writeFile(context.host.workspace, path, new TextEncoder().encode(text), hash);
}

/** What is wrong with either of them. */
export async function signalProblems(context: EngineContext, run: BotRun): Promise<readonly string[]> {
  const done = await readDone(context, run);
  const { problem } = await readScope(context, run);
  return [done.problem && `${done.problem}, so it counts for nothing.`, problem].filter((each) => each !== undefined);
}

export function checkedArea({ host }: EngineContext, given: Json): string {
  const chosen = chosenArea(host.workspace, typeof given === "string" ? given : "");
  if ("area" in chosen) return chosen.area;
  throw refused("ENGINE_NO_AREA", `${chosen.refused} Nothing was changed.`, "Name a folder inside the workspace.");
}
