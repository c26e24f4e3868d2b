import { existsSync } from "node:fs";
import { asSentence, counted, defined, shorten, textOf } from "../../base/index.ts";
import {
  computerText,
  maskSecrets,
  nextAttempt,
  readTotals,
  runHolders,
  runs,
  runWarnings,
  status,
  type EngineContext,
  type RunHandle,
  type RunOverview,
  type StrandStatus,
} from "../../engine/index.ts";
import { becameText, openQuestions, progressOf, standingText, timeOver } from "../../views/index.ts";
import { answerLine, askedLine } from "../answer-line.ts";
import { budgetText } from "../budget-text.ts";
import type { Desk, ShownPart } from "../command-share.ts";
import type { Given } from "../define-command.ts";
import { parseCount } from "../parse-values.ts";
import { continuing, lastDrivenLine } from "../driven-line.ts";
import { tellLeftStore } from "../left-store.ts";
import { followingText, watchLine, whenAllowed, whenChanged, whenFixed, type Following } from "../printed-lines.ts";
import { cliCaller, type Session } from "../session.ts";
import { anotherRunLine } from "../start-lines.ts";
import { showTotals, totalsData } from "../use-lines.ts";
import { worktreeAt } from "../worktree-lines.ts";

export async function runsCommand({ session, options }: Given): Promise<void> {
  const { out } = session;
  const limit = parseCount(options["limit"], "--limit", 1);
  const state: RunOverview["status"] | undefined = options["status"];
  const workflow: string | undefined = options["workflow"];
  const filter = { limit, ...defined({ workflow, status: state && [state] }) };
  const found = await session.withEngine((context) => listed(context, filter));
  out.document({ runs: found.map(runData) });
  if (options["ids"] === true) for (const run of found) out.line(run.id);
  else if (found.length > 0 || (state ?? workflow) === undefined) showRuns(session, found, "There are no runs here yet.");
  else {
    out.line(`There is no ${state === undefined ? "" : `${state} `}run${workflow === undefined ? "" : ` of \`${workflow}\``} here.`);
    out.hint("→ waymark runs");
  }
  if (found.length === 0) await tellLeftStore(session);
}

export async function statusCommand({ session, shares, args: [run] }: Given): Promise<void> {
  const { out, workspace } = session;
  return session.withEngine(async (context) => {
    if (run === undefined) {
      const open = await listed(context, { status: ["running"], limit: 100 });
      out.document({ workspace, runs: open.map(runData) });
      session.showWorkspace();
      showRuns(session, open, "No run is open in this workspace.");
      return open.length === 0 ? tellLeftStore(session) : undefined;
    }
    const seen = await gatherStatus({ context, shares, caller: cliCaller(session.world, context) }, run);
    const { program, state } = seen.handle;
    out.document(maskSecrets({ workspace, ...statusData(seen) }, program, state));
    session.showWorkspace();
    if (!out.json) showStatus(session, seen);
  });
}

type Seen = Awaited<ReturnType<typeof gatherStatus>>;

/** A run with what its dialect says about it (`own`), the run in which it was begun once more (`again`), and the line that begins a new one (`anew`). */
async function gatherStatus({ context, caller, shares }: Omit<Desk, "session">, run: string) {
  const { handle, strands, now } = await status(context, run);
  const { status: ownStatus, outcome = "state" } = await shares.of(handle.program.dialect);
  const own = await ownStatus?.(context, run);
  const called: ShownPart[] = [];
  for (const dialect of calledDialects(handle.program)) {
    const part = await (await shares.of(dialect)).calledStatus?.(context, run);
    if (part !== undefined) called.push(part);
  }
  const again = await nextAttempt(context, handle);
  return {
    handle,
    strands,
    now,
    own,
    called,
    outcome,
    warnings: await runWarnings(context, handle),
    totals: await readTotals(context, run),
    again,
    anew: handle.state.status === "failed" && again === undefined ? await anotherRunLine(context, handle) : undefined,
    here: context.host.computer,
    killed: Object.values(handle.state.budget.reserved ?? {}).filter(({ session }) => context.host.isGone(session)).length,
    drive: isTimed(strands) ? await lastDrivenLine(context, run) : undefined,
    continues: handle.state.status === "running" ? await continuing({ context, caller }, run) : {},
  };
}

/** Of the workflows that a program calls, beside its own. */
function calledDialects({ parts, dialect }: RunHandle["program"]): readonly string[] {
  return [...new Set(Object.values(parts).map((part) => part.dialect))].filter((each) => each !== dialect);
}

interface Listed extends RunOverview {
  readonly isLeft: boolean;
  /** Its holder, as it is called here. */
  readonly holder: string;
}

async function listed(context: EngineContext, filter: Parameters<typeof runs>[1]): Promise<readonly Listed[]> {
  const found = await runs(context, filter);
  const holders = await runHolders(context, found);
  return found.map(({ line: { holder, holder_at, ...line }, ...run }) => {
    const life = run.status === "running" ? holders.get(run.id) : "alive";
    const held = life === undefined ? {} : defined({ holder, holder_at });
    return { ...run, line: { ...line, ...held }, isLeft: life === "gone", holder: holderName(held, context.host.computer) };
  });
}

/** With its computer and process where that is another computer: workers of one agent have one name. */
function holderName({ holder = "", holder_at: at }: Pick<RunOverview["line"], "holder" | "holder_at">, here: string): string {
  return at === undefined || at.split(", process ")[0] === here ? holder : `${holder} at ${at}`;
}

function runData({ id, workflow, status: state, createdAt, updatedAt, line, isLeft }: Listed): object {
  const [created, updated] = [createdAt, updatedAt].map((at) => new Date(at).toISOString());
  return {
    run_id: id,
    workflow,
    status: state,
    created_at: created,
    updated_at: updated,
    ...line,
    ...(isLeft ? { holder_gone: true } : {}),
  };
}

function showRuns({ out }: Session, found: readonly Listed[], none: string): void {
  if (found.length === 0) {
    out.line(none);
    return out.hint("→ waymark list shows what can be started.");
  }
  const rows = found.map((run) => [
    run.id,
    statusWord(run),
    progressWord(run),
    `${run.holder}${run.isLeft ? " (gone)" : ""}`,
    new Date(run.updatedAt).toISOString().slice(0, 16).replace("T", " "),
  ]);
  out.table(["RUN", "STATUS", "AT", "HOLDER", "LAST CHANGE"], rows);
  out.hint(`→ waymark status ${found[0]?.id ?? "<run>"}`);
}

function statusWord({ status: state, line }: RunOverview): string {
  if (state !== "running") return state;
  if (line.questions > 0) return counted(line.questions, "question");
  if (line.blocked === undefined) return "running";
  if (line.blocked_until === undefined) return "blocked";
  return line.blocked_until <= new Date().toISOString() ? "due" : `blocked until ${line.blocked_until}`;
}

function progressWord({ status: state, line }: RunOverview): string {
  const items = line.total === 0 ? "" : ` (${line.done}/${line.total})`;
  if (state === "failed") return shorten(line.error ?? "", 60);
  // The label has the number of the step.
  if (state === "running" && line.counts === "steps" && line.label !== undefined) return shorten(line.label, 40);
  return state === "running" ? `${shorten(line.label ?? line.step ?? "", 40)}${items}`.trim() : items.trim();
}

function statusData({ handle: { id, program, state, head }, strands, now, own, called, warnings, again, totals }: Seen): object {
  const { endedAt, error, retryOf, mark } = state;
  return {
    run_id: id,
    ...defined({ workflow_id: state.options.uuid }),
    workflow: state.workflow,
    status: state.status,
    started_at: new Date(state.startedAt).toISOString(),
    position: head,
    ...defined({ worktree: worktreeOf(state) }),
    ...(endedAt === undefined ? {} : { ended_at: new Date(endedAt).toISOString() }),
    ...defined({ error, retry_of: retryOf }),
    strands: strands.map(({ strand, task, standing, holder, holderAt, alive, stale }) => ({
      strand,
      ...defined({ task }),
      at: standingText(standing),
      ...defined({ holder, holder_at: holderAt }),
      alive,
      stale,
      ...(standing.kind === "blocked" && standing.until !== undefined ? waitData(standing.until, now) : {}),
    })),
    questions: openQuestions(state).map(({ id: decision, revision, step, question, answerBy, options }) => ({
      decision,
      revision,
      step,
      question,
      answer_by: answerBy,
      ...defined({ options }),
    })),
    budget: state.budget,
    ...totalsData(totals),
    notes: state.notes.map((note) => note.text),
    ...defined({ checkpoint: mark }),
    ...progressOf({ program, state }),
    ...defined({ next_run: again }),
    warnings: warnings.map(({ code, message, block }) => ({ code, message, ...defined({ step: block }) })),
    ...own?.data,
    ...Object.assign({}, ...called.map(({ data }) => data)),
  };
}

/** The worktree that a run works in, with the branch that it was made with. */
function worktreeOf({ options: { folder, computer } }: RunHandle["state"]) {
  if (folder === undefined) return undefined;
  return { ...worktreeAt(folder), exists: existsSync(folder), ...defined({ computer }) };
}

/** Where a worktree is that is not here. */
function absentText(computer: string | undefined, here: string): string {
  return computer === here ? "; it was removed." : `. It is on ${computerText(computer)}, and the run continues there.`;
}

const warningsShown = 5;

function showBudget(out: Session["out"], { handle: { state }, now, killed }: Seen): void {
  const limits = Object.entries(state.budget.limits).filter(([, limit]) => limit !== undefined);
  if (limits.length === 0) return;
  const who =
    killed === 1 ? "A turn was killed: what its transcript says it" : `${killed} turns were killed: what their transcripts say they`;
  const more = killed === 0 ? "" : ` ${who} used counts with the next drive.`;
  out.line(`Budget: ${limits.map(([name, limit]) => budgetText(state, name, limit, state.endedAt ?? now)).join(", ")}.${more}`);
}

function showStatus({ out }: Session, seen: Seen): void {
  const { handle, strands, now, own, called, warnings, again } = seen;
  const { id, state, program } = handle;
  const masked = (text: string): string => maskSecrets(text, program, state);
  out.line(
    `${out.paint("bold", id)} (${state.workflow}) ${becameText(state.status)}, started ${ago(now - state.startedAt)} ago, ${counted(handle.head, "record")}.`,
  );
  if (state.error !== undefined) out.line(`${out.paint("red", "✗")} ${masked(state.error.message)} (${state.error.code})`);
  const worktree = worktreeOf(state);
  if (worktree !== undefined)
    out.line(`Worktree: ${worktree.path}, branch ${worktree.branch}${worktree.exists ? "." : absentText(worktree.computer, seen.here)}`);
  if (again !== undefined) out.line(`It was started again as run ${again}.`);
  for (const part of own === undefined ? called : [own, ...called]) part.show(out);
  const { progress } = progressOf(handle);
  if (progress !== undefined && own === undefined) {
    const counts = Object.entries(progress).map(([name, count]) => `${textOf(count)} ${name}`);
    out.line(`Items: ${counts.join(", ")}.`);
  }
  showBudget(out, seen);
  for (const { code, message } of warnings.slice(0, warningsShown))
    out.line(`${out.paint("yellow", "!")} ${shorten(masked(message), 200)} (${code})`);
  if (warnings.length > warningsShown) out.advice(`  and ${warnings.length - warningsShown} more warnings: waymark journal ${id}`);
  if (state.status === "running") {
    out.line();
    const open = strands.filter((entry) => entry.standing.kind !== "ended");
    const left = open.filter(isGone).slice(goneShown);
    const rows = open
      .filter((entry) => !left.includes(entry))
      .map((entry) => [entry.task ?? entry.strand, shorten(masked(atText(entry.standing, now)), 70), holderText(entry, seen.here)]);
    out.table(["PART", "AT", "HOLDER"], rows);
    if (left.length > 0) out.line(`and ${left.length} more whose holders are gone`);
  }
  const blocked = strands.flatMap(({ standing }) => (standing.kind === "blocked" ? [standing] : []));
  // Parts that wait for one account have the same to say.
  const why = blocked.map(
    ({ reason, until }) => `${until === undefined ? masked(reason) : asSentence(masked(reason))}${waitText(until, now)}`,
  );
  for (const line of new Set(why)) out.advice(`\n${out.paint("yellow", "!")} ${line}`);
  for (const { text, target } of handle.state.notes)
    out.line(`\n✎ Not delivered yet, for ${target === undefined ? "the next step" : `\`${target}\``}: ${masked(text)}`);
  showTotals(out, seen.totals);
  const questions = openQuestions(state);
  for (const question of questions) out.line(`\n${askedLine(question, masked(question.question))}`);
  for (const line of followingText(followingOf(seen, questions[0], blocked))) out.hint(line);
  if (seen.anew !== undefined) out.hint(whenChanged(seen.anew));
}

function atText(standing: StrandStatus["standing"], now: number): string {
  if (standing.kind !== "blocked" || standing.until === undefined) return standingText(standing);
  return `${standing.until <= now ? "due" : `blocked until ${timeOver(standing.until)}`}: ${standing.reason}`;
}

/** A time that has passed is no longer waited for: who drives the run next continues it. */
function waitText(until: number | undefined, now: number): string {
  if (until === undefined) return "";
  return until <= now ? ` It is due since ${timeOver(until)}.` : ` It waits until ${timeOver(until)}.`;
}

function waitData(until: number, now: number): object {
  return { blocked_until: new Date(until).toISOString(), due: until <= now };
}

type Blocked = Extract<StrandStatus["standing"], { readonly kind: "blocked" }>;

/** What there is to do: an answer, a permission, a time, else the next step. */
function followingOf(
  { handle, now, again, outcome, drive, continues }: Seen,
  question: ReturnType<typeof openQuestions>[number] | undefined,
  blocked: readonly Blocked[],
): Following {
  const { id } = handle;
  if (question !== undefined) return { next: answerLine(id, question) };
  if (blocked.some(({ denied }) => denied === true)) return whenAllowed(continues.next ?? watchLine(id));
  const timed = followingOfBlocked(drive, blocked, now);
  if (timed !== undefined) return timed;
  if (handle.state.status === "running") return blocked.length > 0 ? whenFixed(id) : continues;
  return followingOfEnd(handle, again, outcome);
}

function isTimed(strands: readonly StrandStatus[]): boolean {
  return strands.some(({ standing }) => standing.kind === "blocked" && standing.until !== undefined);
}

function followingOfBlocked(
  command: string | undefined,
  blocked: readonly { readonly until?: number }[],
  now: number,
): Following | undefined {
  const [first] = blocked.flatMap(({ until }) => until ?? []).toSorted((a, b) => a - b);
  if (first === undefined || command === undefined) return undefined;
  return first <= now ? { next: command } : { later: { when: `at ${timeOver(first)}`, command } };
}

function followingOfEnd({ id, state }: RunHandle, again: string | undefined, outcome: string): Following {
  if (again !== undefined) return { next: `waymark status ${again}` };
  return state.status === "failed" ? whenFixed(id) : { next: `waymark ${outcome} ${id}` };
}

const goneShown = 5;

function isGone({ holder, alive, stale }: StrandStatus): boolean {
  return holder !== undefined && !stale && !alive;
}

function holderText(entry: StrandStatus, here: string): string {
  const { holder, holderAt, stale } = entry;
  if (holder === undefined) return "nobody";
  const name = holderName(defined({ holder, holder_at: holderAt }), here);
  return stale ? `${name} (stale: no report for long)` : isGone(entry) ? `${name} (gone)` : name;
}

function ago(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 120) return `${seconds} s`;
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`;
  return seconds < 172_800 ? `${Math.round(seconds / 3600)} h` : `${Math.round(seconds / 86_400)} days`;
}
