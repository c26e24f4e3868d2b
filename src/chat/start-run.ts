import { defined, isWaymarkError } from "../base/index.ts";
import { neededInputs, requestInput, requirePermission, runId, start } from "../engine/index.ts";
import type { Program } from "../program/index.ts";
import type { MessageStart } from "../ports/index.ts";
import { checkAgents } from "../runner/index.ts";
import { callerOf, requireRight, whereIs, type Desk, type Here } from "./desk.ts";
import { refusal } from "./codes.ts";

/** Starts the workflow for the message. What cannot be driven or is not allowed is refused before anything begins. */
export async function startRun(desk: Desk, workflow: string, intent: string): Promise<void> {
  requireRight(desk, "start");
  const { parts, message } = desk;
  const here = await whereIs(desk);
  const { context } = here.engine;
  const loaded = await context.catalog.loadValid(workflow);
  inputsFor(loaded.program, workflow, intent);
  const { usual } = here.engine;
  const never = new AbortController().signal;
  await checkAgents(here.engine.parts, { usual, finish: never, cancel: never }, loaded.program, false);
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
    const request = { workflow, inputs: inputsFor(program, workflow, intent), id: run, held: false, waitMs: 0, chat };
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

function inputsFor({ parts, main }: Program, workflow: string, intent: string): Readonly<Record<string, string>> {
  const specs = parts[main]?.inputs ?? {};
  const target = requestInput(specs);
  if (intent.trim() === "" && target !== undefined && specs[target]?.required === true)
    throw refusal(
      "CHAT_USAGE",
      `\`${workflow}\` needs to know what you want. Nothing was started.`,
      `Write \`/workflow run ${workflow} <what you want>\`.`,
    );
  const inputs = target === undefined ? {} : { [target]: intent };
  const missing = neededInputs(specs, inputs);
  if (missing.length === 0) return inputs;
  const names = missing.map((name) => `\`${name}\``).join(" and ");
  throw refusal(
    "CHAT_INPUTS",
    `\`${workflow}\` needs ${names}, which a message cannot give. Nothing was started.`,
    `Start it on the machine where Waymark runs: waymark run ${workflow} ${missing.map((name) => `--input ${name}=<value>`).join(" ")}`,
  );
}
