import { isObject, type JsonObject } from "../../../base/index.ts";
import { readActivityLog, readWorkflowState, type ActivityEntry, type WorkflowState } from "../definition/index.ts";
import type { EngineContext } from "../../../engine/index.ts";
import type { BotRun } from "./bot-run.ts";
import { inArea, logFile, stateFile } from "./project-area.ts";

/** One of the two files as it lies in the project area now. */
export interface FoundFile {
  readonly path: string;
  /** undefined when it is not there. */
  readonly text: string | undefined;
  readonly bytes?: Uint8Array;
  readonly hash: string | null;
  /** Why it cannot be read. */
  readonly broken?: string;
}

async function readFound({ workspace, host }: EngineContext, path: string): Promise<FoundFile> {
  const found = await workspace.read(host.workspace, path);
  if (found === undefined) return { path, text: undefined, hash: null };
  return { path, text: new TextDecoder().decode(found.bytes), bytes: found.bytes, hash: found.hash };
}

export interface FoundLog extends FoundFile {
  readonly own: readonly ActivityEntry[];
  readonly others: readonly ActivityEntry[];
}

export async function readLog(context: EngineContext, run: BotRun): Promise<FoundLog> {
  const file = await readFound(context, inArea(run.area, logFile));
  if (file.text === undefined) return { ...file, own: [], others: [] };
  const { entries, problems } = readActivityLog(file.text, { zone: context.host.zone, file: file.path });
  const isOwn = ({ bot }: ActivityEntry): boolean => bot === undefined || bot === run.definition.name;
  return {
    ...file,
    own: entries.filter(isOwn),
    others: entries.filter((entry) => !isOwn(entry)),
    ...(problems[0] === undefined ? {} : { broken: problems[0].message }),
  };
}

export interface FoundState extends FoundFile {
  readonly state?: WorkflowState;
  readonly kept: JsonObject;
}

export async function readState(context: EngineContext, run: BotRun): Promise<FoundState> {
  const file = await readFound(context, inArea(run.area, stateFile));
  const brought = isObject(run.raw["bot_kept"]) ? run.raw["bot_kept"] : {};
  if (file.text === undefined) return { ...file, kept: brought };
  const { state, problems, kept } = readWorkflowState(file.text, { zone: context.host.zone, file: file.path });
  return {
    ...file,
    kept: { ...brought, ...kept },
    ...(state === undefined ? {} : { state }),
    ...(state === undefined && problems[0] !== undefined ? { broken: problems[0].message } : {}),
  };
}
