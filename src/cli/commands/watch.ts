import { counted } from "../../base/index.ts";
import {
  activityAfter,
  journal,
  maskSecrets,
  nextAttempt,
  noActivity,
  runs,
  status,
  transcript,
  type EngineContext,
  type JournalEntry,
  type RunHandle,
} from "../../engine/index.ts";
import { becameText, inOneLine, liveFacts, RunLines, workerText, type LeafWords, type LiveFacts } from "../../views/index.ts";
import type { TranscriptEntry } from "../../ports/index.ts";
import { exitCodes } from "../codes.ts";
import type { Given } from "../define-command.ts";
import { createLiveWriter, type LiveWriter } from "../live-writer.ts";
import { orderLines, type RecordLine, type SaidLine } from "../order-lines.ts";
import type { Session } from "../session.ts";

const pollMs = 500;
const recordsPerRead = 500;

export async function watchCommand({ session, args: [named] }: Given): Promise<number> {
  return session.withEngine(async (context) => {
    const run = named ?? (await runs(context, { status: ["running"], limit: 1 }))[0]?.id;
    if (run !== undefined) return watchRun(session, context, await context.runs.open(run));
    session.out.document({ run_id: null });
    session.out.line("No run is open in this workspace.");
    session.out.hint("→ waymark runs");
    return exitCodes.done;
  });
}

async function watchRun(session: Session, context: EngineContext, handle: RunHandle): Promise<number> {
  const stop = session.world.stopSignal();
  const live = createLiveWriter(session, context.host.alarms);
  try {
    await follow({ context, handle, live }, stop);
  } finally {
    live.close();
  }
  return tellEnd(session, context, handle);
}

/** A driver in this process, which knows what its agents say before it is in the transcript. */
export interface FollowedDriver {
  /** What it said since it was asked last. */
  said(): readonly SaidLine[];
  /** Whether it says this entry itself. */
  says(entry: TranscriptEntry): boolean;
}

/** How far a run was shown. */
export interface Followed {
  readonly head: number;
  readonly lines: RunLines;
}

/** Shows what happens, from now or from where it was shown before, to the end of the run or until the signal. */
export async function follow(
  { context, handle, live }: { readonly context: EngineContext; readonly handle: RunHandle; readonly live: LiveWriter },
  stop: AbortSignal,
  driver?: FollowedDriver,
  before?: Followed,
): Promise<Followed> {
  const words = wordsIn(context);
  const lines = before?.lines ?? new RunLines(handle, words);
  let [activity, entries, head] = [noActivity, 0, before?.head ?? handle.head];
  for (let isFirst = true; ; isFirst = false) {
    // Asked before reading: what happens before the end is shown in any case.
    const isLast = handle.state.status !== "running" || stop.aborted;
    const records = await readRecords(context, handle, { after: head, lines });
    head = records.head;
    const messages: { at: number; text: string }[] = [];
    for await (const entry of transcript(context, handle.id, { after: entries })) {
      activity = activityAfter(activity, entry);
      entries = entry.position;
      const text = isFirst || driver?.says(entry) === true ? undefined : messageLine(context, handle, entry);
      if (text !== undefined) messages.push({ at: entry.at, text });
    }
    for (const line of orderLines(records.lines, messages, driver?.said() ?? [])) live.line(line);
    live.block(await factsNow(context, handle, { activity, words, isDriven: driver !== undefined }));
    if (isLast) return { head, lines };
    await context.host.alarms.wait(pollMs, stop);
    await context.runs.refresh(handle);
  }
}

/** What dialects call the parts of their runs. */
function wordsIn({ leaves }: Pick<EngineContext, "leaves">): LeafWords {
  return {
    called: (run, leaf) => leaves.ofOpen(run, leaf)?.called?.(leaf.args),
    kind: (run, leaf) => leaves.ofOpen(run, leaf)?.kind,
    told: (run, event) => leaves.told(run, event),
  };
}

interface Looked {
  readonly activity: Parameters<typeof liveFacts>[1];
  readonly words: LeafWords;
  /** By this process, which is about to work on what nobody works on. */
  readonly isDriven: boolean;
}

/** Who is gone does not work, whatever the transcript said last. */
async function factsNow(context: EngineContext, handle: RunHandle, { activity, words, isDriven }: Looked): Promise<LiveFacts> {
  const { strands } = await status(context, handle.id);
  const gone = strands.filter(({ alive, standing }) => !alive && standing.kind === "action").map(({ strand }) => strand);
  const facts = liveFacts(handle, activity, new Set(gone), words);
  if (isDriven || gone.length === 0 || facts.agents.length > 0 || handle.state.status !== "running") return facts;
  return { ...facts, standing: `${facts.standing}: nobody works on it (waymark drive ${handle.id})` };
}

/** What the journal says since a position, and up to which one. */
async function readRecords(
  context: EngineContext,
  { id, head }: RunHandle,
  { after, lines: told }: { readonly after: number; readonly lines: RunLines },
): Promise<{ readonly head: number; readonly lines: readonly RecordLine[] }> {
  const lines: RecordLine[] = [];
  let last = after;
  while (last < head) {
    const entries = await journal(context, id, last, recordsPerRead);
    for (const { events, position, at } of entries)
      lines.push(...[...told.of(events), ...deniedLines(events)].map((text) => ({ text, position, at: Date.parse(at) })));
    last = entries.at(-1)?.position ?? head;
  }
  return { head: last, lines };
}

/** undefined for what has no line of its own. */
export function messageLine(
  { leaves }: Pick<EngineContext, "leaves">,
  { program, state }: Pick<RunHandle, "program" | "state">,
  { agent, strand, event }: TranscriptEntry,
): string | undefined {
  if (event.type !== "message") return undefined;
  const text = leaves.inProgram(program).reduce((said, { leaf, block }) => leaf.spoken?.(block.args, said) ?? said, event.text);
  return text === "" ? undefined : `${workerText(agent, state.strands[strand]?.holder?.number)}: ${inOneLine(text)}`;
}

/** What agents were denied, after the step that is over with it. */
function deniedLines(events: JournalEntry["events"]): readonly string[] {
  const denied = events.flatMap((event) => (event.type === "action_closed" || event.type === "spent" ? (event.denied ?? []) : []));
  return denied.length === 0 ? [] : [`! ${counted(denied.length, "call was", "calls were")} denied`];
}

async function tellEnd({ out }: Session, context: EngineContext, handle: RunHandle): Promise<number> {
  const { id, state, program } = handle;
  const error =
    state.error === undefined || state.status !== "failed"
      ? ""
      : ` ${maskSecrets(state.error.message, program, state)} (${state.error.code})`;
  out.line(`Run ${id} ${becameText(state.status)}.${error}`);
  const again = await nextAttempt(context, handle);
  if (again !== undefined) out.hint(`→ waymark watch ${again}`);
  else if (state.status === "running") out.hint(`→ waymark watch ${id}`);
  return state.status === "failed" ? exitCodes.failed : exitCodes.done;
}
