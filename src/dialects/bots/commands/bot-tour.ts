import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { textOf, type JsonObject } from "../../../base/index.ts";
import { answerBot, callBot, closeAction } from "../run/index.ts";
import { journal, type Caller, type Position } from "../../../engine/index.ts";
import { botView } from "../views/index.ts";
import { loadCommandKit, type Session, type TourStage as Stage } from "../../../cli/index.ts";

const { TourStage } = await loadCommandKit();

const bot = "coast_bot";
const waitMs = 60_000;

/**
 * A bot that is left in the middle of an action and taken up in another conversation: a real run on a real store. Every step is
 * checked.
 */
export async function botTour(session: Session, folder: string, keep: boolean): Promise<number> {
  const stage = new TourStage(session, folder);
  await stage.write(demoBot());
  session.out.line(
    "A bot is a folder: behaviours in order, and in each of them the same actions. Here this demo plays agent and person.\n",
  );
  try {
    await firstConversation(stage);
    await secondConversation(stage);
    return await sumUp(stage, keep);
  } finally {
    await stage.close();
  }
}

async function firstConversation(stage: Stage): Promise<void> {
  const { caller } = playersOf(1);
  stage.say("monday", "the agent calls coast_bot_tool");
  const parameters = { project_area: "coast" };
  checkPlace(stage, await callBot(await stage.open(), caller, { bot, parameters }, { waitMs }), "survey.listen");
  checkPlace(stage, await closeWith(stage, 1, "The tide and the path matter."), "survey.write");
  stage.say("agent", "begins to write, and the laptop is closed");
  await (await stage.open()).holding.release(caller.leaseOwner);
  await stage.close();
}

async function secondConversation(stage: Stage): Promise<void> {
  const { caller, person } = playersOf(2);
  const context = await stage.open();
  stage.say("later", "another conversation calls the same tool");
  const view = botView(await callBot(context, caller, { bot }, { waitMs }));
  const asked = view?.wants.kind === "answer" && view.wants.about === "interrupted";
  stage.check(asked, "nobody was asked about the interrupted action");
  stage.say("waymark", view?.body.split("\n")[0] ?? "");
  stage.say("person", "retry");
  checkPlace(stage, await answerBot(context, caller, { bot, answer: "retry", person, waitMs }), "survey.write");
  const content = [{ path: "survey.md", text: "# The coast\n\nMind the tide.\n" }];
  checkPlace(stage, await closeWith(stage, 2, "Wrote survey.md.", { content }), "survey.check");
  checkPlace(stage, await closeWith(stage, 2, "Nothing is missing."), "guide.listen");
  await context.holding.release(caller.leaseOwner);
}

/** The agent of a conversation, and the person, whom the demo plays too: nobody else's word is needed for it. */
function playersOf(conversation: number): { readonly caller: Caller; readonly person: Caller } {
  const session = `conversation-${conversation}`;
  return {
    caller: { holder: { kind: "agent", name: "demo", session }, surface: "cli", leaseOwner: session },
    person: { holder: { kind: "person", name: "demo", session }, surface: "cli-test", leaseOwner: session },
  };
}

async function closeWith(stage: Stage, conversation: number, summary: string, more: JsonObject = {}): Promise<Position> {
  const { caller, person } = playersOf(conversation);
  const closed = await closeAction(await stage.open(), caller, { bot, result: { summary, ...more }, person, waitMs });
  const next = closed.next ?? closed.nextBehaviour?.behaviour ?? "the end";
  stage.say("done", `${closed.completed.action} of ${closed.completed.behaviour}: ${summary} Next is ${next}.`);
  return closed.position;
}

function checkPlace(stage: Stage, position: Position, wanted: string): void {
  const view = botView(position);
  const found = `${view?.behaviour ?? ""}.${view?.action ?? ""}`;
  stage.check(found === wanted, `it is at ${found} instead of ${wanted}`);
}

async function sumUp(stage: Stage, keep: boolean): Promise<number> {
  const { workspace, wrong } = stage;
  const { out } = stage.session;
  const read = async (name: string): Promise<unknown> => JSON.parse(await readFile(join(workspace, "coast", name), "utf8")) as unknown;
  const state = (await read("workflow_state.json")) as JsonObject;
  const log = (await read("activity_log.json")) as JsonObject[];
  const context = await stage.open();
  const [run] = await context.store.listRuns({ workflow: bot });
  const records = (await journal(context, run?.id ?? "", 0, 1000)).length;
  stage.check(log.length === 7, `the log has ${log.length} entries instead of 7`);
  out.document({ run_id: run?.id, state, entries: log.length, records, wrong, ...(keep ? { workspace } : {}) });
  out.line("\nThe log has the whole past:");
  for (const entry of log)
    out.line(`  ${partsOf(entry, "timestamp")}  ${partsOf(entry, "behavior", "action")} ${partsOf(entry, "action_state")}`);
  out.line(`The state: ${partsOf(state, "current_behavior", "current_action")} ${partsOf(state, "action_state")}`);
  for (const problem of wrong) out.line(`${out.paint("red", "✗")} ${problem}`);
  if (keep) out.line(`\nIts folder is ${workspace}\n  waymark --workspace ${workspace} bot ${bot}`);
  return stage.code;
}

function partsOf(entry: JsonObject, ...names: readonly string[]): string {
  return names.map((name) => textOf(entry[name] ?? "")).join(".");
}

/** A small bot for the demo: two behaviours, three actions each, one action beside them. */
function demoBot(): Readonly<Record<string, string>> {
  const base = ".waymark/workflows/coast_bot";
  const json = (value: object): string => `${JSON.stringify(value, null, 2)}\n`;
  const action = (folder: string, config: object, instructions: string): Record<string, string> => ({
    [`${base}/base_actions/${folder}/action_config.json`]: json(config),
    [`${base}/base_actions/${folder}/instructions.md`]: `${instructions}\n`,
  });
  return {
    [`${base}/bot_config.json`]: json({
      name: "coast_bot",
      description: "Turns notes from the coast into a small guide.",
      behaviors: ["survey", "guide"],
    }),
    [`${base}/behaviors/1_survey/instructions.md`]: "Find out what the coast is like.\n",
    [`${base}/behaviors/2_guide/instructions.md`]: "Write it down for people who have never been there.\n",
    ...action(
      "1_listen",
      { name: "listen", workflow: true, order: 1, next_action: "write", description: "Ask what matters." },
      "Ask the person what matters for {{behavior}}, and write down the answers.",
    ),
    ...action(
      "2_write",
      { name: "write", workflow: true, order: 2, next_action: "check", auto_progress: true, description: "Write it down." },
      "Write `{{behavior}}.md` into {{project_area}} and submit it.",
    ),
    ...action(
      "3_check",
      { name: "check", workflow: true, order: 3, next_action: null, description: "Check it." },
      "Read `{{behavior}}.md` again and tell the person what is missing.",
    ),
    ...action(
      "correct_bot",
      { name: "correct_bot", workflow: false, order: null, next_action: null, description: "Improve this bot." },
      "Find the instruction that misled you, and propose a better one.",
    ),
  };
}
