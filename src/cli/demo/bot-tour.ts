import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isObject, textOf, type JsonObject } from "../../base/index.ts";
import { answerBot, callBot, closeAction } from "../../dialects/bots/run/index.ts";
import { journal, type Caller, type EngineContext, type Position } from "../../engine/index.ts";
import { botView } from "../../dialects/bots/views/index.ts";
import { exitCodes } from "../codes.ts";
import type { Session } from "../session.ts";
import type { EngineFlags, OpenEngine } from "../world.ts";
import { demoBot } from "./bot-files.ts";

const bot = "coast_bot";
const waitMs = 60_000;

/**
 * A bot that is left in the middle of an action and taken up in another conversation: a real run on a real store. Every step is
 * checked; `show` answers 0 only if all of them held.
 */
export class BotTour {
  readonly #session: Session;
  readonly #flags: EngineFlags;
  readonly #wrong: string[] = [];
  #engine: OpenEngine | undefined;
  #conversation = 0;

  constructor(session: Session, folder: string) {
    this.#session = session;
    this.#flags = { ...session.flagsIn(folder), store: join(folder, ".waymark", "store") };
  }

  async show(keep: boolean): Promise<number> {
    const { out } = this.#session;
    for (const [file, text] of Object.entries(demoBot())) {
      const target = join(this.#flags.workspace, file);
      await mkdir(dirname(target), { recursive: true });
      await writeFile(target, text);
    }
    out.line("A bot is a folder: behaviours in order, and in each of them the same actions. Here this demo plays agent and person.\n");
    try {
      await this.#monday();
      await this.#weekLater();
      return await this.#sum(keep);
    } finally {
      await this.#close();
    }
  }

  async #monday(): Promise<void> {
    this.#say("monday", "the agent calls coast_bot_tool");
    this.#check(await this.#call({ project_area: "coast" }), "survey.listen");
    this.#check(await this.#done("The tide and the path matter."), "survey.write");
    this.#say("agent", "begins to write, and the laptop is closed");
    await this.#close();
  }

  async #weekLater(): Promise<void> {
    this.#say("later", "another conversation calls the same tool");
    const asked = await this.#call({});
    const view = botView(asked);
    if (view?.wants.kind !== "answer" || view.wants.about !== "interrupted")
      this.#wrong.push("nobody was asked about the interrupted action");
    this.#say("waymark", view?.body.split("\n")[0] ?? "");
    const { context, caller, person } = await this.#open();
    this.#say("person", "retry");
    this.#check(await answerBot(context, caller, { bot, answer: "retry", person, waitMs }), "survey.write");
    this.#check(
      await this.#done("Wrote survey.md.", { content: [{ path: "survey.md", text: "# The coast\n\nMind the tide.\n" }] }),
      "survey.check",
    );
    this.#check(await this.#done("Nothing is missing."), "guide.listen");
  }

  async #call(parameters: JsonObject): Promise<Position> {
    const { context, caller } = await this.#open();
    return callBot(context, caller, { bot, parameters }, { waitMs });
  }

  async #done(summary: string, more: JsonObject = {}): Promise<Position> {
    const { context, caller, person } = await this.#open();
    const closed = await closeAction(context, caller, { bot, result: { summary, ...more }, person, waitMs });
    const next = closed.next ?? closed.nextBehaviour?.behaviour ?? "the end";
    this.#say("done", `${closed.completed.action} of ${closed.completed.behaviour}: ${summary} Next is ${next}.`);
    return closed.position;
  }

  #check(position: Position, wanted: string): void {
    const view = botView(position);
    const found = `${view?.behaviour ?? ""}.${view?.action ?? ""}`;
    if (found !== wanted) this.#wrong.push(`it stands at ${found} instead of ${wanted}`);
  }

  async #sum(keep: boolean): Promise<number> {
    const { out } = this.#session;
    const read = async (name: string): Promise<unknown> =>
      JSON.parse(await readFile(join(this.#flags.workspace, "coast", name), "utf8")) as unknown;
    const [state, log] = [await read("workflow_state.json"), (await read("activity_log.json")) as JsonObject[]];
    const { context } = await this.#open();
    const [run] = await context.store.listRuns({ workflow: bot });
    const records = await journal(context, run?.id ?? "", 0, 1000);
    if (log.length !== 7) this.#wrong.push(`the log has ${log.length} entries instead of 7`);
    out.document({
      run_id: run?.id,
      state,
      entries: log.length,
      records: records.length,
      wrong: this.#wrong,
      ...(keep ? { workspace: this.#flags.workspace } : {}),
    });
    out.line("\nThe log has the whole past:");
    for (const entry of log)
      out.line(
        `  ${textOf(entry["timestamp"] ?? "")}  ${textOf(entry["behavior"] ?? "")}.${textOf(entry["action"] ?? "")} ${textOf(entry["action_state"] ?? "")}`,
      );
    if (isObject(state))
      out.line(
        `The state: ${textOf(state["current_behavior"] ?? "")}.${textOf(state["current_action"] ?? "")} ${textOf(state["action_state"] ?? "")}`,
      );
    for (const problem of this.#wrong) out.line(`${out.paint("red", "✗")} ${problem}`);
    if (keep) out.line(`\nIts folder is ${this.#flags.workspace}\n  waymark --workspace ${this.#flags.workspace} bot ${bot}`);
    return this.#wrong.length === 0 ? exitCodes.done : exitCodes.failed;
  }

  #say(who: string, text: string): void {
    const { out } = this.#session;
    out.line(`${out.paint("bold", who.padEnd(9))}${text}`);
  }

  /** Every opened engine is another conversation. */
  async #open(): Promise<{ readonly context: EngineContext; readonly caller: Caller; readonly person: Caller }> {
    if (this.#engine === undefined) {
      this.#conversation += 1;
      this.#engine = await this.#session.world.openEngine(this.#flags);
    }
    const { context } = this.#engine;
    const session = `conversation-${this.#conversation}`;
    return {
      context,
      caller: { holder: { kind: "agent", name: "demo", session }, surface: "cli", leaseOwner: session },
      // The demo plays the person too; nobody's word is needed for it.
      person: { holder: { kind: "person", name: "demo", session }, surface: "cli-test", leaseOwner: session },
    };
  }

  async #close(): Promise<void> {
    const engine = this.#engine;
    this.#engine = undefined;
    await engine?.context.holding.release(`conversation-${this.#conversation}`);
    await engine?.close();
  }
}
