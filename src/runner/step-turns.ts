import { defined, isWaymarkError, own } from "../base/index.ts";
import { type AgentSession, sameHolder, type Strand, type Usage } from "../kernel/index.ts";
import { recordUse, report, type Caller, type Position, type ReportRequest, type RunHandle, type TurnWish } from "../engine/index.ts";
import type { AgentProvider, AgentUsage } from "../ports/index.ts";
import type { ChosenAgent } from "./choose-agent.ts";
import type { StepDriver } from "./do-step.ts";
import type { AgentDoor, DriveEnd } from "./drive-request.ts";
import { judgeTurn, type TurnResult, type Verdict } from "./judge-turn.ts";
import type { TranscriptKeeper } from "./keep-transcript.ts";
import { runTurn } from "./run-turn.ts";
import { againPrompt, missingPrompt, stepPrompt } from "./step-prompt.ts";

export interface StepTurnParts {
  readonly driver: StepDriver;
  readonly handle: RunHandle;
  readonly action: Extract<Position["standing"], { readonly kind: "action" }>["action"];
  readonly wish: TurnWish | undefined;
  readonly chosen: ChosenAgent;
  readonly folder: string;
  readonly provider: AgentProvider;
  readonly transcript: TranscriptKeeper;
  /** The conversation in which the step was interrupted before. */
  readonly interrupted: string | undefined;
}

/** Denials that a failure names. */
const mostDenied = 3;
/** How often a turn is begun again after a failure that may pass. */
const mostAgain = 2;

/** The turns that one step takes: one, as a rule; more where the agent failed in passing or left something out. */
export class StepTurns {
  readonly #parts: StepTurnParts;
  #session: string | undefined;
  /** Turns that were begun again, in whatever conversation. */
  #again = 0;
  #usage: AgentUsage = {};
  #denied: readonly string[] = [];

  constructor(parts: StepTurnParts) {
    this.#parts = parts;
    this.#session = parts.interrupted;
  }

  /** Who reports the step, also through the door: its conversation is the one that is open then. */
  get reporter(): Caller {
    const session = (): AgentSession | undefined =>
      this.#session === undefined ? undefined : { agent: this.#parts.chosen.agent, id: this.#session };
    return {
      ...this.#parts.driver.caller,
      get agentSession() {
        return session();
      },
    };
  }

  /** The conversation of the strand's last step, where this one continues it. */
  get before(): string | undefined {
    const { wish, driver, chosen } = this.#parts;
    const { session: last, task } = this.#strand ?? {};
    const shared = wish === undefined && driver.request.shared === true && task !== undefined;
    const continues = wish?.context === "last" || shared;
    return continues && last?.agent === chosen.agent ? last.id : undefined;
  }

  get #strand(): Strand | undefined {
    return this.#parts.handle.state.strands[this.#parts.action.strand];
  }

  /** Answers where driving ends here; undefined when the run continues. */
  async run(door: AgentDoor): Promise<DriveEnd | undefined> {
    const { wish, interrupted } = this.#parts;
    const [last, before] = [this.#strand?.session, this.before];
    const first = wish?.prompt ?? stepPrompt(await door.brief());
    try {
      if (interrupted === undefined && before === undefined && wish?.context === "last" && last !== undefined)
        return await this.#lost(door, first, `The conversation of the last step is with \`${last.agent}\`.`);
      return await this.#turns(door, first, interrupted ?? before);
    } finally {
      await this.#recordUse();
    }
  }

  async #turns(door: AgentDoor, first: string, session: string | undefined): Promise<DriveEnd | undefined> {
    const { wish } = this.#parts;
    let prompt = first;
    let missing: string | undefined;
    for (let goesOn = session; ;) {
      const { result, lost } = await this.#turn(door, prompt, goesOn);
      if (lost) return this.#afterLost(door, first, goesOn);
      const verdict = judgeTurn(result);
      goesOn = this.#session;
      if (verdict.kind === "again" && this.#again < mostAgain && (await this.#isOpen())) {
        this.#again += 1;
        this.#parts.driver.request.watch?.({ type: "notice", text: `${verdict.why} Trying again (${this.#again} of ${mostAgain}).` });
        // An agent that died may not have kept what it was asked.
        prompt = goesOn === undefined || result.errorKind === "crash" ? first : againPrompt;
        continue;
      }
      if (verdict.kind !== "ended") return this.#settle(verdict, missing);
      if (!(await this.#isOpen())) return undefined;
      const left = wish?.endIsReport === true ? await this.#reportEnd(result) : missingPrompt(this.#parts);
      if (left === undefined) return undefined;
      if (missing !== undefined) return this.#fail(`It was asked once more, and still: ${left}`);
      missing = left;
      prompt = left;
    }
  }

  async #turn(door: AgentDoor, prompt: string, session: string | undefined): ReturnType<typeof runTurn> {
    const { driver, handle, action, wish, chosen, folder, provider, transcript } = this.#parts;
    const { parts, request, caller } = driver;
    this.#session = session;
    const { idleMs = request.usual?.idleMs } = wish ?? {};
    const ran = await runTurn(
      {
        context: parts.context,
        handle,
        caller,
        provider,
        transcript,
        strand: action.strand,
        action: action.id,
        watch: (event) => request.watch?.(event),
        onSession: (id) => void (this.#session = id),
      },
      {
        prompt,
        cwd: folder,
        permission: chosen.permission,
        mcp: [{ name: "waymark", url: door.url, headers: { Authorization: `Bearer ${door.token}` } }],
        ...defined({ session, model: chosen.model, tools: wish?.tools, leaves: wish?.artifacts, outputSchema: wish?.returns, idleMs }),
      },
      request.cancel,
    );
    this.#usage = addUsage(this.#usage, ran.result.usage);
    this.#denied = [...this.#denied, ...ran.result.denied];
    return ran;
  }

  /** Still open, and still its driver's: another process may have taken the strand, or ended the run. */
  async #isOpen(): Promise<boolean> {
    const { driver, handle, action } = this.#parts;
    await driver.parts.context.runs.refresh(handle);
    const holder = handle.state.strands[action.strand]?.holder;
    return own(handle.state.actions, action.id) !== undefined && sameHolder(holder, driver.caller.holder);
  }

  /** Reports the end of the turn. What the step must leave and did not is the answer. */
  async #reportEnd(result: TurnResult): Promise<string | undefined> {
    try {
      await this.#report({ status: "success", result: result.text });
      return undefined;
    } catch (error) {
      if (!isWaymarkError(error) || !(await this.#isOpen())) throw error;
      const { returns } = this.#parts.wish ?? {};
      const form = returns === undefined ? "" : `\nEnd with JSON that fits this schema, and nothing else: ${JSON.stringify(returns)}`;
      return `${error.message}${error.fix === undefined ? "" : ` ${error.fix}`}${form}`;
    }
  }

  /** `missing`: what the agent was asked for once more, in the turn that came to this. */
  async #settle(verdict: Exclude<Verdict, { readonly kind: "ended" }>, missing: string | undefined): Promise<DriveEnd | undefined> {
    const { driver, handle, action } = this.#parts;
    const open = await this.#isOpen();
    if (verdict.kind === "interrupted") {
      if (!open || handle.state.status !== "running") return undefined;
      return { run: handle.id, kind: "parked", why: `\`${action.step}\` was interrupted.` };
    }
    if (!open) return undefined;
    if (verdict.kind !== "limit")
      return this.#fail(missing === undefined ? verdict.why : `${verdict.why} It was asked once more: ${missing}`);
    const { why, until } = verdict;
    driver.request.watch?.({ type: "reported", step: action.step, how: "parked", why });
    if (until !== undefined) await this.#report({ error: why, blockedUntil: until });
    return { run: handle.id, kind: "parked", why, ...defined({ until }) };
  }

  async #fail(cause: string): Promise<undefined> {
    const denied = [...new Set(this.#denied)].slice(0, mostDenied);
    const why = denied.length === 0 ? cause : `${cause} It was not allowed: ${denied.join("; ")}.`;
    await this.#report({ status: "failed", error: why });
    this.#parts.driver.request.watch?.({ type: "reported", step: this.#parts.action.step, how: "failed", why });
    return undefined;
  }

  async #afterLost(door: AgentDoor, first: string, session: string | undefined): Promise<DriveEnd | undefined> {
    const { wish } = this.#parts;
    this.#session = undefined;
    const before = this.#strand?.session?.id;
    // A conversation that the step began itself had nothing but its prompt to begin with.
    if (session !== undefined && session !== before) return this.#turns(door, first, wish?.context === "last" ? before : undefined);
    return this.#lost(door, first, "The agent cannot continue the conversation of the last step.");
  }

  async #lost(door: AgentDoor, first: string, why: string): Promise<DriveEnd | undefined> {
    const { wish, driver, action } = this.#parts;
    const policy = wish === undefined ? "fresh" : (wish.onLost ?? "fail");
    if (policy === "fail") return this.#fail(`${why} (RUNNER_LOST_SESSION)`);
    driver.request.watch?.({ type: "notice", text: `${why} \`${action.step}\` begins a fresh one.` });
    return this.#turns(door, policy === "replay" ? await this.#replayed(first) : first, undefined);
  }

  /** What was said in the strand before, ahead of the prompt. */
  async #replayed(first: string): Promise<string> {
    const { driver, handle, action } = this.#parts;
    const said: string[] = [];
    for await (const { strand, event } of driver.parts.context.transcripts.read(handle.id)) {
      if (strand !== action.strand) continue;
      if (event.type === "prompt") said.push(`You were asked:\n${event.text}`);
      if (event.type === "message") said.push(`You said:\n${event.text}`);
    }
    return [`This continues a conversation that was lost. It was:`, ...said, "Now:", first].join("\n\n");
  }

  /** What the turns used since the last report. */
  get #used(): { readonly usage?: Usage; readonly denied?: readonly string[] } {
    const { inputTokens = 0, outputTokens = 0, costUsd } = this.#usage;
    const usage = { tokens: inputTokens + outputTokens, ...defined({ money: costUsd }) };
    return {
      ...(usage.tokens > 0 || costUsd !== undefined ? { usage } : {}),
      ...(this.#denied.length === 0 ? {} : { denied: this.#denied }),
    };
  }

  /** An agent that reports its step itself does so before its turn has ended, and an interrupted one is not reported at all. */
  async #recordUse(): Promise<void> {
    const { driver, handle, action } = this.#parts;
    const used = this.#used;
    if (used.usage === undefined && used.denied === undefined) return;
    await recordUse(driver.parts.context, this.reporter, { run: handle.id, action: action.id, ...used });
  }

  async #report(outcome: Pick<ReportRequest, "status" | "result" | "error" | "blockedUntil">): Promise<void> {
    const { driver, handle, action } = this.#parts;
    await report(driver.parts.context, this.reporter, { run: handle.id, action: action.id, ...outcome, ...this.#used });
    [this.#usage, this.#denied] = [{}, []];
    if (outcome.status === "success") driver.request.watch?.({ type: "reported", step: action.step, how: "done" });
  }
}

function addUsage(a: AgentUsage, b: AgentUsage): AgentUsage {
  const sum = (x: number | undefined, y: number | undefined): number | undefined => (x === undefined ? y : x + (y ?? 0));
  return defined({
    inputTokens: sum(a.inputTokens, b.inputTokens),
    outputTokens: sum(a.outputTokens, b.outputTokens),
    costUsd: sum(a.costUsd, b.costUsd),
  });
}
