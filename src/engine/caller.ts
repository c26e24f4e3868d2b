import type { Actor, AgentSession, Holder, Input } from "../kernel/index.ts";
import type { Store } from "../ports/index.ts";
import type { PositionFacts } from "../views/index.ts";

/** What one caller was shown in one run and has not reported. */
interface Shown {
  readonly ids: Set<string>;
  /** The last report under each name of an author's, whatever was asked for since; without a name only until something is asked for. */
  readonly said: Map<string, { readonly said: string; readonly about: About }>;
  /** Steps with tasks among them that are shown again when the caller asks again: it has reported nothing since, and has not continued after them. */
  readonly tasks: Set<string>;
  /** The last answer that was refused, and nothing asked for since. */
  refused?: { readonly said: string; readonly refusal: Refusal };
}

/** A question, and why the answer to it was refused. */
export interface Refusal {
  readonly id: string;
  readonly error: Error;
}

export interface About {
  readonly action: string;
  readonly step: string;
}

/** Callers and runs that are remembered; the oldest are forgotten first. */
const mostRemembered = 1000;

/**
 * What each caller was shown, for as long as this process lives. A report that does not name a hand-out by its own id can only mean
 * one of these; who is not remembered has to name it.
 */
export class HandOuts {
  readonly #shown = new Map<string, Shown>();

  show(caller: Caller, { run, standing }: Pick<PositionFacts, "run" | "standing">): void {
    if (standing.kind === "action") {
      const { ids, tasks } = this.#of(caller, run);
      ids.add(standing.action.id);
      if (standing.action.what === "parallel_tasks") tasks.add(standing.action.id);
    }
    if (standing.kind === "question") this.#of(caller, run).ids.add(standing.decision.id);
  }

  /** Whether anything of the run was shown to the caller here. */
  isKnown(caller: Caller, run: string): boolean {
    return this.#shown.has(keyOf(caller, run));
  }

  isShown(caller: Caller, run: string, id: string): boolean {
    return this.#shown.get(keyOf(caller, run))?.ids.has(id) === true;
  }

  reported(caller: Caller, run: string, id: string): void {
    const held = this.#shown.get(keyOf(caller, run));
    held?.ids.delete(id);
    held?.tasks.clear();
  }

  /** Whether a step with tasks was the last thing that the caller was shown and did. */
  isTasksAgain(caller: Caller, run: string, id: string): boolean {
    return this.#shown.get(keyOf(caller, run))?.tasks.has(id) === true;
  }

  /** The caller has the tasks of a step and continues after it. */
  tookTasks(caller: Caller, run: string, id: string): void {
    const { ids, tasks } = this.#of(caller, run);
    ids.add(id);
    tasks.delete(id);
  }

  /** The caller asked what is open: a report that follows is about that. */
  asked(caller: Caller, run: string): void {
    const held = this.#shown.get(keyOf(caller, run));
    held?.said.delete("");
    delete held?.refused;
  }

  /** Remembers a report without a name, or one that names an entry by the author's id, which entries of other files have too. */
  said(caller: Caller, run: string, said: string, { name = "", ...about }: About & { readonly name?: string }): void {
    const { said: last } = this.#of(caller, run);
    last.delete(name);
    last.set(name, { said, about });
    if (last.size > mostRemembered) last.delete(last.keys().next().value ?? "");
  }

  /** What the same words were about, under the same name if they have one: then they are the same report again. */
  saidBefore(caller: Caller, run: string, said: string, name = ""): About | undefined {
    const last = this.#shown.get(keyOf(caller, run))?.said.get(name);
    return last?.said === said ? last.about : undefined;
  }

  /** Remembers a refusal: the same words again are the same call, and cost no further try. */
  refused(caller: Caller, run: string, said: string, refusal: Refusal): void {
    this.#of(caller, run).refused = { said, refusal };
  }

  refusedBefore(caller: Caller, run: string, said: string): Refusal | undefined {
    const last = this.#shown.get(keyOf(caller, run))?.refused;
    return last?.said === said ? last.refusal : undefined;
  }

  #of(caller: Caller, run: string): Shown {
    const key = keyOf(caller, run);
    const held = this.#shown.get(key) ?? { ids: new Set(), said: new Map(), tasks: new Set() };
    this.#shown.delete(key);
    this.#shown.set(key, held);
    if (this.#shown.size > mostRemembered) this.#shown.delete(this.#shown.keys().next().value ?? "");
    return held;
  }
}

function keyOf({ holder: { kind, name, session } }: Caller, run: string): string {
  return `${run}\0${kind}\0${session}\0${name}`;
}

/** The name of a driver that was not given an agent to drive with. */
export const plainDriver = "waymark drive";

/** Who calls, as the surface knows it. Never taken from a payload. */
export interface Caller {
  readonly holder: Holder;
  /** `mcp-stdio`, `mcp-http`, `cli`, `cli-terminal`, `http`, `elicitation`, `test`, `engine`. */
  readonly surface: string;
  /** Owner name of the leases this caller takes: a process beats for its own, a person at a command line has no process that stays. */
  readonly leaseOwner: string;
  readonly leaseTtlMs?: number;
  /** It is at work for as long as its process lives, however long it does not call: a turn of an agent that Waymark drives. */
  readonly stays?: true;
  /** The conversation that a driven agent reports from. */
  readonly agentSession?: AgentSession | undefined;
}

export function actorOf(caller: Caller): Actor {
  const { flags: _ofHolder, ...holder } = caller.holder;
  return { ...holder, surface: caller.surface };
}

/** When and by whom something is asked for now, as every input says. */
export async function stampOf({ store }: { readonly store: Store }, caller: Caller): Promise<Pick<Input, "at" | "by">> {
  return { at: await store.now(), by: actorOf(caller) };
}

/** The engine acting by itself: effects, timers, lost leases. */
export function engineActor(processId: string): Actor {
  return { kind: "engine", name: "waymark", session: processId, surface: "engine" };
}
