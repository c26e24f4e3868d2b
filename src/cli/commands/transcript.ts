import { defined, isoTime } from "../../base/index.ts";
import { activityAfter, noActivity, transcript, type EngineContext, type ShownEntry } from "../../engine/index.ts";
import { usageText, usedIn } from "../../views/index.ts";
import { badValue, didYouMean } from "../codes.ts";
import type { Given } from "../define-command.ts";
import type { Session } from "../session.ts";
import { TranscriptText } from "../transcript-text.ts";

const pollMs = 500;

export async function transcriptCommand({ session, args: [run = ""], options }: Given): Promise<void> {
  const step: string | undefined = options["step"];
  await session.withEngine(async (context) => {
    const { out } = session;
    out.beginList();
    const text = new TranscriptText(out);
    let [activity, count] = [noActivity, 0];
    for await (const entry of entriesOf(context, run, {
      step,
      ...(options["follow"] === true ? { until: session.world.stopSignal() } : {}),
    })) {
      count += 1;
      activity = activityAfter(activity, entry);
      out.entry(entryData(entry));
      for (const line of out.json ? [] : text.linesOf(entry)) out.line(line);
    }
    if (count === 0) return tellNone(session, context, run, step);
    const used = usageText(usedIn(activity));
    if (used !== "") out.line(`\nUsed: ${used}.`);
  });
}

/** What there is; with `until` also what comes, to the end of the run or until the signal. */
async function* entriesOf(
  context: EngineContext,
  run: string,
  { step, until }: { readonly step: string | undefined; readonly until?: AbortSignal },
): AsyncGenerator<ShownEntry, void, undefined> {
  const handle = await context.runs.open(run);
  for (let after = 0; ;) {
    // Asked before reading: what is added before the end is read in any case.
    const isLast = until === undefined || until.aborted || handle.state.status !== "running";
    for await (const entry of transcript(context, run, { after, ...defined({ step }) })) {
      after = entry.position;
      yield entry;
    }
    if (isLast) return;
    await context.host.alarms.wait(pollMs, until);
    await context.runs.refresh(handle);
  }
}

function entryData({ position, at, run, action, step, strand, agent, event }: ShownEntry): object {
  return { position, at: isoTime(at), run_id: run, action, step, strand, agent, event };
}

async function tellNone({ out }: Session, context: EngineContext, run: string, step: string | undefined): Promise<void> {
  const steps = new Set<string>();
  for await (const entry of context.transcripts.read(run)) steps.add(entry.step);
  if (step !== undefined && steps.size > 0)
    throw badValue(
      `The transcript of run \`${run}\` has no step \`${step}\`.${didYouMean(step, steps)}`,
      `Steps in it are ${[...steps].map((each) => `\`${each}\``).join(", ")}.`,
    );
  out.line("This run has no transcript: Waymark keeps one of the agents that it starts itself.");
  out.hint(`→ waymark journal ${run}`);
}
