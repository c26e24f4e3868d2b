import { isWaymarkError } from "../base/index.ts";
import { waitForChange } from "../engine/index.ts";
import type { Alarms } from "../ports/index.ts";
import { driveRun, type DriveEnd, type DriveEvent } from "../runner/index.ts";
import type { Busy } from "./busy.ts";
import type { ChatEngine, ChatParts } from "./chat-parts.ts";
import type { RunFollower } from "./follow-run.ts";
import { parkedText, stoppedText } from "./parked-text.ts";

/** How long a change may be unseen while this process drives the run, and otherwise, in milliseconds. */
const lookMs = 250;
const restMs = 2000;
const longestPauseMs = 60_000;

export interface OpenRunParts {
  readonly engine: ChatEngine;
  readonly follower: RunFollower;
  /** The platform's id of the conversation. */
  readonly platformId: string;
  readonly alarms: Alarms;
  readonly busy: Busy;
  readonly finish: AbortSignal;
  readonly cancel: AbortSignal;
  readonly log: ChatParts["log"];
  /** A text in which lines of the command line name where the run is. */
  readonly placed: (text: string) => string;
  /** What a driver does may be in a run that was begun in the place of this one. */
  readonly heard: (run: string, event: DriveEvent) => void;
  /** Its workflow asked for another attempt, which is this run. */
  readonly continued: (run: string) => Promise<void>;
  /** It is over, and its end was sent. */
  readonly left: () => void;
}

/** A run that a conversation follows: driven while there is something to do, and shown until its end. */
export class OpenRun {
  readonly follower: RunFollower;
  readonly #parts: OpenRunParts;
  #driving: Promise<void> | undefined;
  #showing: Promise<void> | undefined;
  #wanted = false;
  /** It is not begun once more, or another run is in its place. */
  #isDone = false;

  constructor(parts: OpenRunParts) {
    this.#parts = parts;
    this.follower = parts.follower;
  }

  get engine(): ChatEngine {
    return this.#parts.engine;
  }

  get isDriven(): boolean {
    return this.#driving !== undefined;
  }

  /** It is shown from now on. */
  show(): void {
    this.#showing ??= this.#tried(() => this.#showChanges()).then(() => {
      this.#showing = undefined;
      this.#leave();
    });
  }

  /** There may be something to do in it. */
  wake(): void {
    this.show();
    this.#wanted = true;
    if (this.#parts.finish.aborted) return;
    this.#driving ??= this.#parts.busy
      .during(this.#parts.platformId, () => this.#driveOn())
      .finally(() => {
        this.#driving = undefined;
        // Asked for after the last look.
        if (this.#wanted) this.wake();
        else this.#leave();
      });
  }

  /** Resolves when nothing more is done or sent here, which is soon after `finish`. */
  async ended(): Promise<void> {
    await this.#driving;
    await this.#showing;
  }

  /** What is over and sent is not kept in memory. */
  #leave(): void {
    if (this.follower.isOver && this.#driving === undefined && this.#showing === undefined) this.#parts.left();
  }

  async #driveOn(): Promise<void> {
    while (this.#wanted && !this.#parts.finish.aborted) {
      this.#wanted = false;
      const why = await this.#driveOnce();
      this.follower.silent();
      await this.#pump();
      if (this.#isDone) await this.#tried(() => this.follower.leave());
      if (why !== undefined && !this.#parts.finish.aborted) await this.#tried(() => this.follower.note(this.#parts.placed(why)));
    }
  }

  /** Why the run does not continue, where its journal does not say so. */
  async #driveOnce(): Promise<string | undefined> {
    const { engine, finish, cancel, heard } = this.#parts;
    const { run, workflow } = this.follower;
    const { usual, workers } = engine;
    const watch = (event: DriveEvent): void => heard(run, event);
    try {
      const end: DriveEnd = await driveRun(engine.parts, { run, usual, workers, finish, cancel, watch });
      if (end.run !== run) await this.#parts.continued(end.run);
      this.#isDone = end.run !== run || (end.kind === "failed" && !finish.aborted);
      return end.kind === "parked" ? parkedText({ run: end.run, workflow }, end) : undefined;
    } catch (error) {
      if (!isWaymarkError(error)) this.#parts.log("warn", `Run ${run} could not be driven: ${String(error)}`);
      return stoppedText({ run, workflow }, error);
    }
  }

  /** Until the end of the run was sent; what could not be sent is tried again, later each time. */
  async #showChanges(): Promise<void> {
    const { engine, alarms, finish } = this.#parts;
    const handle = await engine.context.runs.open(this.follower.run);
    let pauseMs = 0;
    while (!finish.aborted) {
      const asked = this.follower.asked.length;
      const isSent = await this.#pump();
      if (isSent && this.follower.isOver) return;
      // It was answered elsewhere.
      if (this.follower.asked.length < asked) this.wake();
      pauseMs = isSent ? 0 : Math.min(longestPauseMs, Math.max(1000, 2 * pauseMs));
      if (isSent) await this.#tried(() => waitForChange(engine.context, handle, this.isDriven ? lookMs : restMs, finish));
      else await alarms.wait(pauseMs, finish);
    }
  }

  #pump(): Promise<boolean> {
    return this.#tried(() => this.follower.pump());
  }

  async #tried(work: () => Promise<void>): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (error) {
      this.#parts.log("warn", `Run ${this.follower.run} could not be shown: ${error instanceof Error ? error.message : String(error)}`);
      return false;
    }
  }
}
