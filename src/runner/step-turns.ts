import { asSentence, defined } from "../base/index.ts";
import type { Strand } from "../kernel/index.ts";
import { beginTurn, waitForChange, type Caller } from "../engine/index.ts";
import type { AgentProvider } from "../ports/index.ts";
import type { AccountPool } from "./account-pool.ts";
import { agentOf, type ChosenAgent, type Decided } from "./choose-agent.ts";
import type { AgentDoor, DriveEnd } from "./drive-request.ts";
import { judgeTurn, type TurnResult, type Verdict } from "./judge-turn.ts";
import type { TranscriptKeeper } from "./keep-transcript.ts";
import { pauseTurns, runTurn, type TurnParts } from "./run-turn.ts";
import { againPrompt, emptyTurn, missingReport, stepPrompt, type Missing } from "./step-prompt.ts";
import { refusalOf, setupOf } from "./refusal.ts";
import { replayed } from "./replay-conversation.ts";
import { StepReport, type StepReportParts } from "./step-report.ts";

export interface StepTurnParts extends Omit<StepReportParts, "agent"> {
  readonly chosen: ChosenAgent;
  readonly decided: Decided;
  readonly folder: string;
  readonly provider: AgentProvider;
  readonly transcript: TranscriptKeeper;
  readonly account: AccountPool;
  /** The conversation in which the step was interrupted before. */
  readonly interrupted: string | undefined;
  /** The workflow itself says how often the step is tried again. */
  readonly isRetried: boolean;
  /** A part, or a role, among several: what no agent can do now stays open, since the others would fail in the same way. */
  readonly isOneOfMany: boolean;
}

/** The pauses before a turn is begun again after a failure that may pass, in seconds. */
const pauses = [5, 20];

/** How long an overloaded provider is waited for after those, in seconds: the second time longer. */
const longPauses = [60, 300];

/** How long the end of another driver's turn may go unnoticed, in milliseconds. */
const longestLook = 500;

const waysOut =
  "After `waymark retry`, `waymark drive --on-lost fresh` begins a fresh conversation, and `--on-lost replay` one that is given what was said before.";

/** The turns that one step takes: one, as a rule; more where the agent failed in passing or left something out. */
export class StepTurns {
  readonly #parts: StepTurnParts;
  readonly #report: StepReport;
  /** Turns that were begun again, in whatever conversation. */
  #again = 0;
  /** A turn of this drive was begun. */
  #isBegun = false;

  constructor(parts: StepTurnParts) {
    this.#parts = parts;
    this.#report = new StepReport({ ...parts, agent: parts.chosen.agent });
    this.#report.session = parts.interrupted;
  }

  /** Who reports the step, also through the door. */
  get reporter(): Caller {
    return this.#report.reporter;
  }

  /** The conversation that the step continues: that of its strand's last one, or the one that it names. */
  get before(): string | undefined {
    const { wish, driver, chosen } = this.#parts;
    if (wish?.session !== undefined) return wish.session.agent === chosen.agent ? wish.session.id : undefined;
    const { session: last, task } = this.#strand ?? {};
    const shared = wish === undefined && driver.request.shared === true && task !== undefined;
    const continues = wish?.context === "last" || shared;
    return continues && last?.agent === chosen.agent ? last.id : undefined;
  }

  /** The conversation that is open now. */
  get session(): string | undefined {
    return this.#report.session;
  }

  get #strand(): Strand | undefined {
    return this.#parts.handle.state.strands[this.#parts.action.strand];
  }

  /** Answers where driving ends here; undefined when the run continues. */
  async run(door: AgentDoor): Promise<DriveEnd | undefined> {
    const { wish, interrupted } = this.#parts;
    const [last, before] = [wish?.session ?? this.#strand?.session, this.before];
    const needed = wish?.context === "last" || wish?.session !== undefined;
    const first = wish?.prompt ?? stepPrompt(await door.brief());
    try {
      if (interrupted === undefined && before === undefined && needed && last !== undefined)
        return await this.#lost(door, first, `The conversation of the last step is with \`${last.agent}\`.`);
      return await this.#turns(door, first, interrupted ?? before);
    } finally {
      await this.#report.recordUse();
      await this.#report.tellLoss();
    }
  }

  async #turns(door: AgentDoor, first: string, session: string | undefined): Promise<DriveEnd | undefined> {
    let prompt = first;
    let missing: string | undefined;
    for (let goesOn = session; ;) {
      if (!(await this.#mayBegin())) return this.#settle({ kind: "interrupted" }, missing);
      const { result, lost, isEmpty, seen } = await this.#turn(door, prompt, goesOn);
      if (lost) return this.#afterLost(door, first, goesOn);
      const verdict = judgeTurn(result);
      if (verdict.kind === "ended" || (seen.worked && verdict.kind !== "limit")) await this.#parts.account.worked();
      goesOn = this.#report.session;
      if (verdict.kind === "again" && this.#again < this.#mostAgain && (await this.#report.isOpen())) {
        if (!(await this.#beginsAgain(verdict))) return this.#settle({ kind: "interrupted" }, missing);
        // An agent that died may not have kept what it was asked.
        prompt = goesOn === undefined || result.errorKind === "crash" ? first : againPrompt;
        continue;
      }
      if (verdict.kind === "limit" || (verdict.kind === "again" && this.#waitsLong(verdict))) return this.#wait(verdict, seen.worked);
      if (verdict.kind !== "ended") return this.#settle(verdict, missing);
      if (!(await this.#report.isOpen())) return undefined;
      const left = await this.#left(result, isEmpty);
      if (left === undefined) return undefined;
      if (missing !== undefined) return this.#report.fail(`It was asked once more, and still: ${left.why}`);
      missing = left.why;
      prompt = left.prompt;
    }
  }

  /** A step that the workflow itself tries again is not tried more often than that. */
  get #mostAgain(): number {
    return this.#parts.isRetried ? 0 : pauses.length;
  }

  /**
   * Reserves what the next turn may use of the run's budget; where turns of others may use up what is left, waits for them. False where no
   * turn begins: driving or the step ended meanwhile, or a person is asked about the budget.
   */
  async #mayBegin(): Promise<boolean> {
    const { driver, handle, action } = this.#parts;
    const { finish, cancel } = driver.request;
    const { context } = driver.parts;
    const stop = AbortSignal.any([finish, cancel]);
    // What the turn before used counts first.
    if (this.#report.isReserved) await this.#report.recordUse();
    for (;;) {
      if (stop.aborted) return false;
      const begun = await beginTurn(context, driver.caller, { run: handle.id, action: action.id });
      if (begun !== "full") {
        this.#report.isReserved = begun === "reserved";
        return begun !== "over";
      }
      await waitForChange(context, handle, longestLook, stop);
    }
  }

  /** A provider that is still overloaded after the pauses is waited for, unless the workflow says how often the step is tried. */
  #waitsLong({ overloaded }: Extract<Verdict, { readonly kind: "again" }>): boolean {
    return overloaded === true && !this.#parts.isRetried;
  }

  /** The step goes back without having cost a try, until the time that the limit ends, or a longer pause after an overload. */
  async #wait(verdict: Extract<Verdict, { readonly kind: "again" | "limit" }>, worked: boolean): Promise<DriveEnd | undefined> {
    const { account, driver, decided } = this.#parts;
    if (!(await this.#report.isOpen())) return undefined;
    if (verdict.kind === "limit") {
      const { until, sure } = await account.limit(verdict.why, verdict.until);
      return this.#report.park(verdict.why, until, { pool: account.name, ...agentOf(decided), ...(sure && !worked ? { idle: true } : {}) });
    }
    const frame = this.#strand?.frames.at(-1);
    const before = frame?.kind === "do" ? (frame.idle ?? 0) : 0;
    const until = (await driver.parts.context.store.now()) + (longPauses[before] ?? 0) * 1000;
    return this.#report.park(verdict.why, until, { ...agentOf(decided), ...(worked ? {} : { idle: true }) });
  }

  /** Lets time pass before the next turn. False where none begins, because driving or the run ended meanwhile. */
  async #beginsAgain({ why, atOnce }: Extract<Verdict, { readonly kind: "again" }>): Promise<boolean> {
    const { finish, cancel, watch } = this.#parts.driver.request;
    const seconds = atOnce ? 0 : (pauses[this.#again] ?? 0);
    this.#again += 1;
    const when = seconds === 0 ? "" : ` in ${seconds} seconds`;
    watch?.({ type: "notice", text: `${asSentence(why)} Trying again${when} (${this.#again} of ${this.#mostAgain}).` });
    const stop = AbortSignal.any([finish, cancel]);
    if (seconds > 0) await pauseTurns(this.#turnParts, seconds * 1000, stop);
    return !stop.aborted && (await this.#report.isOpen());
  }

  /** What is missing for the step to be done; nothing where the end of the turn was its report. */
  async #left(result: TurnResult, isEmpty: boolean): Promise<Missing | undefined> {
    if (this.#parts.wish?.endIsReport !== true) return missingReport(this.#parts);
    if (isEmpty) return emptyTurn;
    return this.#report.end(result);
  }

  get #turnParts(): TurnParts {
    const { driver, handle, action, provider, transcript } = this.#parts;
    const { parts, request, caller } = driver;
    return {
      context: parts.context,
      handle,
      caller,
      provider,
      transcript,
      strand: action.strand,
      action: action.id,
      told: driver.told,
      watch: (event) => request.watch?.(event),
      onSession: (id) => void (this.#report.session = id),
      onBroken: (seen) => this.#report.count({ denied: [] }, seen),
    };
  }

  async #turn(door: AgentDoor, prompt: string, session: string | undefined): ReturnType<typeof runTurn> {
    const { driver, wish, chosen, folder } = this.#parts;
    const { request, parts } = driver;
    // A person may have taken its permission back since its last turn.
    await parts.agents.resolve(chosen.agent);
    await this.#parts.account.begins();
    this.#report.session = session;
    this.#isBegun = true;
    const { idleMs = request.usual?.idleMs } = wish ?? {};
    const fork = wish?.fork === true && session === wish.session?.id ? (true as const) : undefined;
    const ran = await runTurn(
      this.#turnParts,
      {
        prompt,
        cwd: folder,
        permission: chosen.permission,
        mcp: [{ name: "waymark", url: door.url, headers: { Authorization: `Bearer ${door.token}` } }],
        ...defined({
          session,
          fork,
          model: chosen.model,
          tools: wish?.tools,
          leaves: wish?.artifacts,
          // The step's own prompt says what its answer looks like.
          outputSchema: wish !== undefined && prompt.endsWith(wish.prompt) ? undefined : wish?.returns,
          idleMs,
        }),
      },
      request.cancel,
    );
    this.#report.count(ran.result, ran.seen);
    if (ran.seen.asked) driver.working.add(chosen.agent);
    return ran;
  }

  /** `missing`: what the agent was asked for once more, in the turn that came to this. */
  async #settle(
    verdict: Exclude<Verdict, { readonly kind: "ended" | "limit" }>,
    missing: string | undefined,
  ): Promise<DriveEnd | undefined> {
    const { handle, action } = this.#parts;
    const open = await this.#report.isOpen();
    if (verdict.kind === "interrupted") {
      if (!open || handle.state.status !== "running") return undefined;
      return { run: handle.id, kind: "parked", why: `${this.#isBegun ? `\`${action.step}\`` : "It"} was interrupted.` };
    }
    if (!open) return undefined;
    const why = missing === undefined ? verdict.why : `${verdict.why} It was asked once more: ${missing}`;
    const needs = this.#needs(verdict);
    if (needs !== undefined) {
      const { account, chosen, decided, driver, isOneOfMany } = this.#parts;
      const refused = refusalOf(chosen.agent, needs, verdict.why, agentOf(decided).role);
      driver.refused.set(needs === "login" ? account.name : setupOf(chosen), refused);
      if (isOneOfMany) return { run: handle.id, kind: "parked", ...refused };
    }
    const how = verdict.kind === "again" ? { mayPass: true as const } : needs === undefined ? {} : { needsPerson: true as const };
    return this.#report.fail(why, how);
  }

  /** What a person has to do before any step can be done. A program that dies before it has taken any work is not set up. */
  #needs(verdict: Extract<Verdict, { readonly kind: "again" | "failed" }>): "login" | "setup" | undefined {
    if (verdict.kind === "failed") return verdict.needs;
    const { driver, chosen } = this.#parts;
    return verdict.atOnce && !driver.working.has(chosen.agent) ? "setup" : undefined;
  }

  async #afterLost(door: AgentDoor, first: string, session: string | undefined): Promise<DriveEnd | undefined> {
    const { wish } = this.#parts;
    this.#report.session = undefined;
    const before = wish?.session?.id ?? this.#strand?.session?.id;
    // A conversation that the step began itself had nothing but its prompt to begin with.
    if (session !== undefined && session !== before)
      return this.#turns(door, first, wish?.context === "last" || wish?.session !== undefined ? this.before : undefined);
    return this.#lost(door, first, "The agent cannot continue the conversation of the last step.");
  }

  async #lost(door: AgentDoor, first: string, why: string): Promise<DriveEnd | undefined> {
    const { wish, driver, action } = this.#parts;
    const wished = wish === undefined ? "fresh" : (wish.onLost ?? "fail");
    const policy = wished === "fail" ? (driver.request.onLost ?? "fail") : wished;
    if (policy === "fail") return this.#report.fail(`${why} (RUNNER_LOST_SESSION) ${waysOut}`);
    const ahead = policy === "replay" ? ", with what was said before ahead of its prompt" : "";
    driver.request.watch?.({ type: "notice", text: `${why} \`${action.step}\` begins a fresh one${ahead}.` });
    return this.#turns(door, policy === "replay" ? await replayed(this.#parts, first) : first, undefined);
  }
}
