import { isObject, type JsonObject } from "../../base/index.ts";
import { writeActivityLog, writeWorkflowState, type ActivityEntry, type CompletedAction, type Confirmation } from "../../dialects/index.ts";
import type { Item } from "../../program/index.ts";
import type { EngineContext } from "../context.ts";
import { refused } from "../codes.ts";
import { fieldOf } from "../effects/file-effects.ts";
import type { Rows } from "../effects/effect.ts";
import type { BotRun } from "./bot-run.ts";

const stateFile = "workflow_state.json";
const logFile = "activity_log.json";

/** What was started and completed, oldest first. */
export async function activityOf(rows: Rows, { lists }: BotRun): Promise<readonly ActivityEntry[]> {
  const found = await rows.select({ list: lists.activity, query: {}, limit: 1_000_000 });
  return found.map((row) => row.data as unknown as ActivityEntry);
}

/** Hashes of the files as Waymark wrote them last; another content is somebody else's. */
export interface WrittenFiles {
  readonly state?: string;
  readonly log?: string;
}

export function writtenBefore({ raw }: BotRun): WrittenFiles {
  const held = raw["bot_files"];
  return isObject(held) ? held : {};
}

interface Sync {
  readonly entries: readonly ActivityEntry[];
  readonly actions: readonly Item[];
  /** Where the bot stands; an independent action leaves it as it was. */
  readonly current: { readonly behaviour: string; readonly action: string; readonly state: "started" | "completed"; readonly at: string };
  /** Distinguishes copies of files that somebody edited. */
  readonly mark: string;
  readonly confirmations: JsonObject;
  /** Keys of others in the state file. */
  readonly kept: JsonObject;
}

/**
 * Writes both files as views of the journal: the log first, then the state. A file that is not as it was written last is kept
 * beside under another name, and the difference is told.
 */
export async function syncFiles(
  context: EngineContext,
  run: BotRun,
  sync: Sync,
): Promise<{ readonly files: WrittenFiles; readonly problems: readonly string[] }> {
  if (run.area === "") return { files: {}, problems: [] };
  const before = writtenBefore(run);
  const problems: string[] = [];
  const log = await put(context, run, { name: logFile, text: writeActivityLog(sync.entries), last: before.log, mark: sync.mark }, problems);
  const text = writeWorkflowState({
    bot: run.definition.name,
    currentBehaviour: sync.current.behaviour,
    currentAction: sync.current.action,
    actionState: sync.current.state,
    timestamp: sync.current.at,
    completedActions: completedOf(sync),
    confirmations: confirmationsOf(sync.confirmations),
    kept: sync.kept,
  });
  const state = await put(context, run, { name: stateFile, text, last: before.state, mark: sync.mark }, problems);
  return { files: { state, log }, problems };
}

/** Every completion of actions that count as completed now; going back takes later ones out, and the log keeps them. */
function completedOf({ entries, actions }: Sync): readonly CompletedAction[] {
  const done = new Set(actions.filter((row) => row.status === "completed").map((row) => row.id));
  return entries
    .filter((entry) => entry.actionState === "completed" && done.has(`${entry.behaviour}.${entry.action}`))
    .map(({ behaviour, action, timestamp }) => ({ behaviour, action, timestamp, kept: {} }));
}

function confirmationsOf(held: JsonObject): Readonly<Record<string, Confirmation>> {
  return Object.fromEntries(
    Object.entries(held).map(([behaviour, each]) => [
      behaviour,
      {
        confirmedAt: fieldOf(each, "confirmed_at"),
        confirmedBy: "human",
        originalBehaviour: fieldOf(each, "original_behavior"),
        kept: {},
      },
    ]),
  );
}

interface Writing {
  readonly name: string;
  readonly text: string;
  readonly last: string | undefined;
  readonly mark: string;
}

async function put(context: EngineContext, run: BotRun, { name, text, last, mark }: Writing, problems: string[]): Promise<string> {
  const { workspace, host } = context;
  const path = `${run.area}/${name}`;
  const bytes = new TextEncoder().encode(text);
  const now = await workspace.read(host.workspace, path);
  const hash = host.sha256(text);
  if (now?.hash === hash) return hash;
  if (now !== undefined && last !== undefined && now.hash !== last) {
    const copy = `${path}.edited-${mark}`;
    const kept = await workspace.writeFile(host.workspace, copy, now.bytes, null);
    problems.push(
      `${path} was changed by somebody else. ${kept.status === "done" ? `Its content is kept in ${copy}` : "It had been kept before"}; Waymark wrote the place it knows from its journal.`,
    );
  }
  const outcome = await workspace.writeFile(host.workspace, path, bytes, now?.hash ?? null);
  if (outcome.status === "failed")
    throw refused(
      "ENGINE_BOT_FILE",
      `${path} could not be written: ${outcome.reason}`,
      "Make the project area writable and retry the run.",
      {},
    );
  return hash;
}
