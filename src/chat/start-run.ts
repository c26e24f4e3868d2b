import { defined, isWaymarkError, type JsonObject, type WaymarkError } from "../base/index.ts";
import { neededInputs, requestInput, requirePermission, runId, start, type EngineContext } from "../engine/index.ts";
import type { Program } from "../program/index.ts";
import type { FollowedRun, MessageStart } from "../ports/index.ts";
import { checkAgents } from "../runner/index.ts";
import { callerOf, requireRight, whereIs, type Desk, type Here } from "./desk.ts";
import { inOtherWords, refusal } from "./codes.ts";

/** Starts the workflow for the message. What cannot be driven or is not allowed is refused before anything begins. */
export async function startRun(desk: Desk, workflow: string, intent: string): Promise<void> {
  requireRight(desk, "start");
  const { parts } = desk;
  const here = await whereIs(desk);
  const { context } = here.engine;
  const loaded = await context.catalog.loadValid(workflow);
  const line = parts.lines.start(context, workflow, loaded.program, intent);
  inputsFor(context, loaded.program, { workflow, intent, line });
  const { usual } = here.engine;
  const never = new AbortController().signal;
  await checkAgents(here.engine.parts, { usual, finish: never, cancel: never }, loaded.program, false).catch((error: unknown) => {
    throw isWaymarkError(error) && error.code === "RUNNER_NO_PERMISSION" ? noPermission(error, line) : error;
  });
  await requirePermission(context, loaded, { driven: true });
  const run = runId(loaded.name, await context.store.now(), context.host.randomText(6));
  await beginRun(desk, { run, workflow, intent, codebase: here.codebase.id });
}

/** A store failed between the decision for a run and following it: the run may be there, so this start is made again. */
export class StartLeft extends Error {
  readonly start: MessageStart;
  /** As it is said to the person. */
  readonly said: WaymarkError;

  constructor(start: MessageStart, cause: WaymarkError) {
    super(cause.message, { cause });
    this.start = start;
    this.said = inOtherWords(
      cause,
      cause.message,
      "Your message is kept, and is done when the store answers: you need not write it again.",
    );
  }
}

/**
 * Decides for this run, unless the message has another one, and begins it, unless it was begun before; the conversation follows it from then on. Throws
 * `StartLeft` where a store fails: what was begun is followed when this is done again with the same start.
 */
export async function beginRun(desk: Desk, start: MessageStart): Promise<void> {
  try {
    await beginDecided(desk, await desk.parts.conversations.decideStart(desk.message.id, start));
  } catch (error) {
    if (isWaymarkError(error) && error.code.startsWith("STORE_") && !forGood.has(error.code)) throw new StartLeft(start, error);
    throw error;
  }
}

/** What a store says of this run alone: it says the same when it is asked again. */
const forGood: ReadonlySet<string> = new Set(["STORE_NO_RUN", "STORE_NO_BLOB", "STORE_NAME_TOO_LONG", "STORE_BAD_TEXT"]);

async function beginDecided(desk: Desk, { run, workflow, intent, codebase }: MessageStart): Promise<void> {
  const { parts, place, runs } = desk;
  const follow = (): Promise<FollowedRun> => parts.conversations.followRun({ run, conversation: place.conversation, codebase });
  const { context } = await desk.engineOf(codebase).catch(async (error: unknown) => {
    // A process before this one may have made the run: it is taken up when its folder can be opened.
    if (desk.message.start !== undefined) await follow();
    throw error;
  });
  const isThere = async (): Promise<boolean> => (await context.store.readRun(run)) !== undefined;
  if (!(await isThere())) {
    requireRight(desk, "start");
    const { program } = await context.catalog.loadValid(workflow);
    const chat = { conversation: place.conversation, codebase, message: intent };
    const folder = folderOf(await whereIs(desk), codebase);
    const line = parts.lines.start(context, workflow, program, intent);
    const request = { workflow, inputs: inputsFor(context, program, { workflow, intent, line }), id: run, held: false, waitMs: 0, chat };
    // What fails after the run was made is shown by the run.
    await start(context, callerOf(desk), { ...request, ...defined({ folder }) }).catch(async (error: unknown) => {
      if (!(await isThere())) throw error;
    });
  }
  await runs.follow(place, await follow());
}

/** The folder of the conversation, where that is not the codebase's own. */
function folderOf({ codebase, folder }: Here, id: string): string | undefined {
  return codebase.id !== id || folder === codebase.folder ? undefined : folder;
}

/** A chat has no flags: who runs Waymark says it in a file, or on the machine. */
function noPermission(error: WaymarkError, line: string): Error {
  const said = "Say it with `permission: edit` (or `read`, or `all`) in the workflow, or in the agent's entry of your own configuration";
  return inOtherWords(
    error,
    `${error.message} Nothing was started.`,
    `${said}; or start it on the machine where Waymark runs: ${line} --permission edit`,
  );
}

interface Wanted {
  readonly workflow: string;
  readonly intent: string;
  /** Starts it on the machine. */
  readonly line: string;
}

function inputsFor({ leaves }: EngineContext, program: Program, { workflow, intent, line }: Wanted): JsonObject {
  const { parts, main } = program;
  const specs = parts[main]?.inputs ?? {};
  const target = requestInput(specs);
  if (intent.trim() === "" && target !== undefined && specs[target]?.required === true)
    throw refusal(
      "CHAT_USAGE",
      `\`${workflow}\` needs to know what you want. Nothing was started.`,
      `Write \`/workflow run ${workflow} <what you want>\`.`,
    );
  const said = leaves.said(program, intent);
  const inputs: JsonObject = { ...said, ...(target === undefined ? {} : { [target]: intent }) };
  const keys = Object.entries(leaves.needs(program)).flatMap(([name, each]) => each.filter((key) => said[name]?.[key] === undefined));
  const missing = [...neededInputs(specs, inputs), ...keys];
  if (missing.length === 0) return inputs;
  const names = missing.map((name) => `\`${name}\``).join(" and ");
  throw refusal(
    "CHAT_INPUTS",
    `\`${workflow}\` needs ${names}, which a message cannot give. Nothing was started.`,
    `Start it on the machine where Waymark runs, with values in the places of \`<...>\`: ${line}`,
  );
}
