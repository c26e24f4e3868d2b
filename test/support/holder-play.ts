import type { Caller } from "../../src/engine/index.ts";
import { end } from "../../src/engine/commands/end.ts";
import { journal } from "../../src/engine/commands/journal.ts";
import { doctor } from "../../src/engine/commands/doctor.ts";
import { next, type Position } from "../../src/engine/commands/next.ts";
import { report } from "../../src/engine/commands/report.ts";
import { resume } from "../../src/engine/commands/resume.ts";
import { start } from "../../src/engine/commands/start.ts";
import { readState } from "../../src/engine/commands/state.ts";
import { strandLease } from "../../src/engine/lease-keys.ts";
import { expectLike, expectOne, expectSame, settled, type Refusal } from "./settled.ts";
import { idleOf, ttlMs, type HolderWorld, type Move, type MoveOf, type Who } from "./holder-world.ts";

/** A part of the run as the model knows it: its holder, until when that one counts as alive, and what is open. */
interface Part {
  readonly task?: string;
  holder?: Caller;
  aliveUntil: number;
  open: string | undefined;
  done: number;
}

/** What became of an id that was handed out. */
interface HandedOut {
  readonly part: Part;
  readonly id: string;
  fate: "open" | "reported" | "replaced";
}

interface Seen {
  readonly head: number;
  readonly open: string | undefined;
  readonly step: string | undefined;
  readonly holder: string | undefined;
}

/** How often each kind of thing happened, so that a test can see that its moves led somewhere. */
export type Counts = Map<string, number>;

/** One run, the callers around it, and a model that says before each call what it has to come to. */
export class HolderPlay {
  readonly #world: HolderWorld;
  readonly #run: string;
  readonly #counts: Counts;
  readonly #parts: readonly Part[];
  readonly #handedOut: HandedOut[] = [];
  readonly #steps: number;
  /** What the engine said that it has recorded, in order. */
  readonly #recorded: number[] = [];
  #sent = 0;
  #over: "no" | "completed" | "cancelled" = "no";

  private constructor(world: HolderWorld, run: string, { tasks, steps }: Played, counts: Counts) {
    this.#world = world;
    this.#run = run;
    this.#counts = counts;
    this.#steps = steps;
    this.#parts = (tasks ?? [undefined]).map((task) => ({ ...(task === undefined ? {} : { task }), aliveUntil: 0, open: "", done: 0 }));
  }

  static async begin(world: HolderWorld, played: Played, counts: Counts): Promise<HolderPlay> {
    const { context, caller } = world.observer;
    const { run } = await start(context, caller, { workflow: played.workflow, waitMs: 0, held: false });
    const play = new HolderPlay(world, run, played, counts);
    for (const part of play.#parts) await play.#learnOpen(part);
    return play;
  }

  async move(move: Move): Promise<void> {
    switch (move.do) {
      case "next":
      case "resume":
        return this.#next(move);
      case "report":
        for (const meant of Array<HandedOut | undefined>(move.twice ? 2 : 1).fill(this.#choose(move))) await this.#report(move.who, meant);
        return;
      case "call":
        return void (await this.#caller(move.who));
      case "leave":
        return this.#leave(move.who);
      case "die":
        return this.#die(move.who);
      case "abort":
        return this.#abort(move.who);
      case "wait":
        return this.#world.time.advance(move.ms);
    }
  }

  /** Everybody dies; a new agent has all that is left at its first call, and the run has what was recorded and nothing else. */
  async finish(): Promise<void> {
    for (const who of ["ann", "bob", "runner", "foreign"] as const) await this.#die(who);
    await this.#world.time.advance(Math.max(ttlMs, idleOf("person")));
    for (const part of this.#parts)
      while (this.#over === "no" && part.open !== undefined) {
        await this.#next({ do: "next", who: "ann", part: this.#parts.indexOf(part) });
        await this.#report("ann", this.#openOf(part));
      }
    const { context } = this.#world.observer;
    const { state } = await context.runs.open(this.#run);
    expectSame(state.status, this.#over === "no" ? "completed" : this.#over);
    if (this.#over !== "cancelled") expectSame(this.#recorded.length, this.#steps * this.#parts.length);
    const records = await journal(context, this.#run, 0, 10_000);
    const closed = records.flatMap(({ events }) =>
      events.flatMap((event) => (event.type === "action_closed" && event.how === "reported" ? event.action : [])),
    );
    expectSame(closed, [...new Set(closed)]);
    expectSame(closed.length, this.#recorded.length);
    expectSame((await doctor(context, this.#run)).problems, []);
  }

  #openOf(part: Part): HandedOut | undefined {
    return this.#handedOut.find(({ id }) => id === part.open);
  }

  get #now(): number {
    return this.#world.time.now();
  }

  #count(what: string): void {
    this.#counts.set(what, (this.#counts.get(what) ?? 0) + 1);
  }

  /** Every call over a connection is a sign of life, whatever it asks for. */
  async #caller(who: Who): Promise<{ readonly caller: Caller; readonly context: HolderWorld["observer"]["context"] }> {
    const { caller, context } = await this.#world.caller(who);
    await context.holding.called(caller);
    if (caller.leaseTtlMs === undefined)
      for (const part of this.#parts) if (part.holder === caller && part.aliveUntil > this.#now) part.aliveUntil = this.#now + idleOf(who);
    return { caller, context };
  }

  #isHeldByOther(part: Part, caller: Caller): boolean {
    return part.holder !== undefined && part.holder !== caller && part.aliveUntil > this.#now;
  }

  async #next({ do: how, who, part: at }: MoveOf<"next" | "resume">): Promise<void> {
    const part = this.#parts[at % this.#parts.length]!;
    const { caller, context } = await this.#caller(who);
    const request = { run: this.#run, waitMs: 0, ...(part.task === undefined ? {} : { task: part.task }) };
    const before = await this.#look(part);
    const asked = await settled<Position>(how === "next" ? next(context, caller, request) : resume(context, caller, request));
    const after = await this.#look(part);
    if (this.#over !== "no" || part.open === undefined) {
      this.#count("asked for what is over");
      expectOne(["ended", "task_ended"], asked.ok?.standing.kind);
      return expectSame(after, before);
    }
    const takesOver = how === "resume" && who === "person";
    if (this.#isHeldByOther(part, caller) && !takesOver) {
      this.#count(`${who} refused, held`);
      expectLike(asked.refusal, { code: "STRAND_HELD" });
      return expectSame(after, before);
    }
    const isMine = part.holder === caller;
    const isNew = part.holder !== undefined && !isMine;
    this.#count(isMine ? "asked again" : isNew ? (part.aliveUntil > this.#now ? "taken over" : "taken up") : "taken first");
    if (isMine) expectSame(after, before);
    if (isNew) await this.#learnOpen(part);
    this.#hold(part, caller, who);
    expectLike(asked.ok?.standing, { kind: "action", action: { id: part.open } });
    expectLike(after, { open: part.open, holder: caller.holder.session });
  }

  async #report(who: Who, meant: HandedOut | undefined): Promise<void> {
    if (meant === undefined) return;
    const { part, id, fate } = meant;
    const { caller, context } = await this.#caller(who);
    const before = await this.#look(part);
    this.#sent += 1;
    // The id says which task is meant, so a reporter need not.
    const task = part.task === undefined || this.#sent % 2 === 0 ? {} : { task: part.task };
    const said = await settled(report(context, caller, { run: this.#run, action: id, result: this.#sent, ...task }));
    const after = await this.#look(part);
    const counts = fate === "open" && this.#over === "no" && !this.#isHeldByOther(part, caller);
    if (fate === "reported") {
      this.#count("reported again");
      expectLike(said.ok, { recorded: "before", action: id });
    } else if (counts) {
      this.#count(part.holder === caller ? "reported" : part.holder === undefined ? "reported first" : "reported for one who is gone");
      expectLike(said.ok, { recorded: "now", action: id });
      if (part.holder !== caller) this.#hold(part, caller, who);
      meant.fate = "reported";
      part.done += 1;
      this.#recorded.push(this.#sent);
      await this.#learnOpen(part);
      expectSame(after.holder, part.open === undefined ? after.holder : caller.holder.session);
    } else this.#expectRefused(said.refusal, { part, fate, caller });
    if (!counts) expectSame(after, before);
    expectSame((await readState(this.#world.observer.context, this.#run)).state["seen"], this.#recorded);
  }

  /** What does not count says what is open instead. */
  #expectRefused(
    refusal: Refusal | undefined,
    { part, fate, caller }: Pick<HandedOut, "part" | "fate"> & { readonly caller: Caller },
  ): void {
    this.#count(this.#over !== "no" || part.open === undefined ? "reported what is over" : `reported what is ${fate} and another's`);
    if (this.#over !== "no" || part.open === undefined) return expectOne(["ENGINE_NO_ACTION", "RUN_ENDED"], refusal?.code);
    expectSame(refusal?.code, part.holder === caller ? "ENGINE_WRONG_STEP" : "HOLDER_LOST");
    expectSame(
      refusal?.details.open_steps?.some((step) => step.endsWith(`s${part.done + 1}`)),
      true,
    );
    if (part.holder === caller) expectSame(refusal?.details.action_id, part.open);
  }

  #choose({ part: at, which }: MoveOf<"report">): HandedOut | undefined {
    const part = this.#parts[at % this.#parts.length];
    const ids = this.#handedOut.filter((each) => each.part === part);
    return ids.at(-1 - (which % ids.length));
  }

  #hold(part: Part, caller: Caller, who: Who): void {
    part.holder = caller;
    part.aliveUntil = this.#now + idleOf(who);
  }

  async #leave(who: Who): Promise<void> {
    const { caller, context } = await this.#world.caller(who);
    await context.holding.release(caller.leaseOwner);
    for (const part of this.#parts) if (part.holder === caller) part.aliveUntil = 0;
  }

  /** Who dies on this host holds nothing any more; of another host only the time of its lease is known. */
  async #die(who: Who): Promise<void> {
    const { caller } = await this.#world.caller(who);
    this.#world.kill(who);
    for (const part of this.#parts) {
      if (part.holder !== caller || part.aliveUntil <= this.#now || caller.leaseTtlMs !== undefined) continue;
      part.aliveUntil = who === "foreign" ? await this.#leaseEnd(part) : 0;
      this.#count(`${who} died at work`);
      expectSame(part.aliveUntil <= this.#now + ttlMs, true);
    }
  }

  async #leaseEnd(part: Part): Promise<number> {
    const { strand } = await this.#find(part);
    return (await this.#world.observer.context.store.readLease(strandLease(this.#run, strand?.id ?? "")))?.expiresAt ?? 0;
  }

  async #abort(who: Who): Promise<void> {
    const { caller, context } = await this.#caller(who);
    const before = await Promise.all(this.#parts.map((part) => this.#look(part)));
    const asked = await settled(end(context, caller, { run: this.#run, status: "cancelled" }));
    const isOthers = who !== "person" && this.#parts.some((part) => part.open !== undefined && this.#isHeldByOther(part, caller));
    if (this.#over === "no" && !isOthers) {
      this.#count("aborted");
      expectLike(asked.ok, { status: "cancelled" });
      this.#over = "cancelled";
      return;
    }
    this.#count(this.#over === "no" ? "abort refused, held" : "aborted what is over");
    if (this.#over === "cancelled") expectLike(asked.ok, { status: "cancelled" });
    else expectSame(asked.refusal?.code, this.#over === "no" ? "STRAND_HELD" : "RUN_ENDED");
    expectSame(await Promise.all(this.#parts.map((part) => this.#look(part))), before);
  }

  /** What somebody else sees of a part. */
  async #look(part: Part): Promise<Seen> {
    const { head, state, strand } = await this.#find(part);
    const open = Object.values(state.actions).find((action) => action.strand === strand?.id && action.what !== "parallel_tasks");
    return { head, open: open?.id, step: open?.step.split(".").at(-1), holder: strand?.holder?.session };
  }

  async #find(part: Part) {
    const { head, state } = await this.#world.observer.context.runs.open(this.#run);
    const strand = Object.values(state.strands).find(({ task, id }) => (part.task === undefined ? id === "main" : task === part.task));
    return { head, state, strand };
  }

  /** What is open now was never handed out before; what was open is reported, or replaced. */
  async #learnOpen(part: Part): Promise<void> {
    const before = this.#openOf(part);
    if (before?.fate === "open") before.fate = "replaced";
    const { open, step } = await this.#look(part);
    part.open = open;
    expectSame(step, open === undefined ? undefined : `s${part.done + 1}`);
    if (open === undefined) {
      expectSame(part.done, this.#steps);
      if (this.#parts.every(({ done }) => done === this.#steps)) this.#over = "completed";
      return;
    }
    expectSame(
      this.#handedOut.some(({ id }) => id === open),
      false,
    );
    this.#handedOut.push({ part, id: open, fate: "open" });
  }
}

export interface Played {
  readonly workflow: string;
  /** Names of its tasks; without them the run itself is its only part. */
  readonly tasks?: readonly string[];
  /** How many steps each part has, called s1, s2 and so on. */
  readonly steps: number;
}
