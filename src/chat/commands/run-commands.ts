import { isWaymarkError } from "../../base/index.ts";
import { end, isStopped, retryWithCalled, status } from "../../engine/index.ts";
import { openQuestions, runLine } from "../../views/index.ts";
import { callerOf, placed, requireRight, type Desk } from "../desk.ts";
import { meantRun, namedRun, orError, type NamedRun } from "./named-run.ts";
import type { Rest } from "./command.ts";

const mostShown = 10;

/** Runs of the conversation, or the one that is named. */
export async function showRuns(desk: Desk, { words: [name] }: Rest): Promise<void> {
  if (name !== undefined) return desk.say((await linesOf(desk, await namedRun(desk, name))).join("\n"));
  await desk.say(await runsText(desk));
}

export async function runsText(desk: Desk): Promise<string> {
  const all = await desk.parts.conversations.runsFollowed(desk.place.conversation);
  if (all.length === 0) return "No runs in this conversation yet.";
  const lines: string[] = [];
  for (const { run } of all.slice(0, mostShown)) {
    const known = await orError(namedRun(desk, run));
    lines.push(...(isWaymarkError(known) ? [`\`${run}\`: ${known.message}`] : await linesOf(desk, known)));
  }
  if (all.length > mostShown) lines.push(`... and ${all.length - mostShown} older ones`);
  return lines.join("\n");
}

async function linesOf({ runs }: Desk, { handle, context }: NamedRun): Promise<readonly string[]> {
  const { state, program, id } = handle;
  const isHeld = runs.isDriven(id) || (await status(context, id)).strands.some(({ alive }) => alive);
  const { label, step, blocked, error } = runLine(state, program);
  const where = label ?? step;
  const driven = state.status === "running" && openQuestions(state).length === 0 && !isHeld ? ", parked" : "";
  const place = state.status === "running" && where !== undefined ? ` at ${where}` : "";
  const why = blocked ?? error;
  return [
    `**${program.name}** (\`${id}\`): ${state.status}${place}${driven}`,
    ...(why === undefined ? [] : [`  ${why}`]),
    ...openQuestions(state).map(({ step: asks, question }) => `  Question \`${asks}\`: ${question}`),
  ];
}

export async function cancelRun(desk: Desk, { words: [name] }: Rest): Promise<void> {
  requireRight(desk, "start");
  const { context, handle } = await meantRun(desk, name, (run) => run.handle.state.status === "running", "is open");
  const reason = `${desk.person.name} cancelled it in the chat.`;
  await placed(desk, context.host.workspace, () => end(context, callerOf(desk), { run: handle.id, status: "cancelled", reason }));
  await desk.say(`Cancelled \`${handle.id}\`.`);
}

/** A run that failed or is blocked is tried again where it stopped; one that is only parked is driven again. */
export async function resumeRun(desk: Desk, { words: [name] }: Rest): Promise<void> {
  requireRight(desk, "start");
  const fits = ({ handle: { id, state } }: NamedRun): boolean =>
    state.status === "failed" || (state.status === "running" && openQuestions(state).length === 0 && !desk.runs.isDriven(id));
  const { context, handle, followed } = await meantRun(desk, name, fits, "failed or is parked");
  const { conversations } = desk.parts;
  const retried = { run: handle.id, looks: true, waitMs: 0 };
  if (isStopped(handle)) await placed(desk, context.host.workspace, () => retryWithCalled(context, callerOf(desk), retried));
  else await context.runs.refresh(handle);
  if (handle.state.status !== "running") return desk.say(`Run \`${handle.id}\` is ${handle.state.status}. There is nothing to resume.`);
  await conversations.sentRun(handle.id, { over: false });
  await desk.say(`Resuming \`${handle.id}\`.`);
  await desk.runs.follow(desk.place, { ...followed, ...(await conversations.followRun(followed)) });
}
