import { defined, isWaymarkError, type WaymarkError } from "../base/index.ts";
import { neededInputs, requestInput, requirePermission, runId, start, type EngineContext } from "../engine/index.ts";
import type { Program } from "../program/index.ts";
import type { MessageStart } from "../ports/index.ts";
import { checkAgents } from "../runner/index.ts";
import { callerOf, requireRight, whereIs, type Desk, type Here } from "./desk.ts";
import { inOtherWords, refusal } from "./codes.ts";

/** Starts the workflow for the message. What cannot be driven or is not allowed is refused before anything begins. */
export async function startRun(desk: Desk, workflow: string, intent: string): Promise<void> {
  requireRight(desk, "start");
  const { parts, message } = desk;
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
  const decided = await parts.conversations.decideStart(message.id, { run, workflow, intent, codebase: here.codebase.id });
  await beginRun(desk, decided);
}

/** Begins the run that was decided, unless it was begun before; the conversation follows it from then on. */
export async function beginRun(desk: Desk, { run, workflow, intent, codebase }: MessageStart): Promise<void> {
  requireRight(desk, "start");
  const { parts, place, runs } = desk;
  const { context } = await desk.engineOf(codebase);
  if ((await context.store.readRun(run)) === undefined) {
    const { program } = await context.catalog.loadValid(workflow);
    const chat = { conversation: place.conversation, codebase, message: intent };
    const folder = folderOf(await whereIs(desk), codebase);
    const line = parts.lines.start(context, workflow, program, intent);
    const request = { workflow, inputs: inputsFor(context, program, { workflow, intent, line }), id: run, held: false, waitMs: 0, chat };
    await start(context, callerOf(desk), { ...request, ...defined({ folder }) }).catch((error: unknown) => {
      if (!isWaymarkError(error) || error.code !== "STORE_RUN_EXISTS") throw error;
    });
  }
  await runs.follow(place, await parts.conversations.followRun({ run, conversation: place.conversation, codebase }));
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

function inputsFor({ leaves }: EngineContext, program: Program, { workflow, intent, line }: Wanted): Readonly<Record<string, string>> {
  const { parts, main } = program;
  const specs = parts[main]?.inputs ?? {};
  const target = requestInput(specs);
  if (intent.trim() === "" && target !== undefined && specs[target]?.required === true)
    throw refusal(
      "CHAT_USAGE",
      `\`${workflow}\` needs to know what you want. Nothing was started.`,
      `Write \`/workflow run ${workflow} <what you want>\`.`,
    );
  const inputs = target === undefined ? {} : { [target]: intent };
  const missing = [...neededInputs(specs, inputs), ...Object.values(leaves.needs(program)).flat()];
  if (missing.length === 0) return inputs;
  const names = missing.map((name) => `\`${name}\``).join(" and ");
  throw refusal(
    "CHAT_INPUTS",
    `\`${workflow}\` needs ${names}, which a message cannot give. Nothing was started.`,
    `Start it on the machine where Waymark runs, with values in the places of \`<...>\`: ${line}`,
  );
}
