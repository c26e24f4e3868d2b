import { isWaymarkError, WaymarkError, type JsonObject } from "../../base/index.ts";
import { callBot, closeAction, tellsWork } from "../../dialects/bots/run/index.ts";
import type { EngineContext } from "../../engine/index.ts";
import { closeView } from "../../dialects/bots/views/index.ts";
import { driveBot, resultOf } from "../bots/drive-bot.ts";
import { listTools } from "../bots/list-tools.ts";
import { showBot } from "../bots/show-bot.ts";
import { undoFiles } from "../bots/undo-files.ts";
import { cliCaller } from "../cli-caller.ts";
import { exitCodes, failure, usage } from "../codes.ts";
import type { Given } from "../define-command.ts";
import { waiting } from "../drive.ts";
import { addWord, fillIn, refuseUnfilled } from "../fill-in.ts";
import { quoted } from "../printed-lines.ts";

const words = ["tools", "close", "undo"] as const;
type Word = (typeof words)[number];

export async function botCommand(given: Given): Promise<number> {
  const { session, args, options } = given;
  const [first = ""] = args;
  const word = words.find((each) => each === first);
  return session.withEngine((context) => {
    if (word === undefined) return callCommand(given, context);
    refuseOptions(word, options);
    return perform(word, given, context);
  });
}

function perform(word: Word, { session, args, options }: Given, context: EngineContext): Promise<number> {
  const [, bot, action] = args;
  if (word === "tools") return listTools(session, context, bot, options["compact"] === true);
  if (bot === undefined) throw usage(`\`waymark bot ${word}\` needs the name of a bot.`, `Write \`waymark bot ${word} story_bot\`.`);
  return word === "close"
    ? closeCommand({ session, args: [bot, action ?? ""], options }, context)
    : undoFiles(session, context, bot, action);
}

/** Options that belong to another form of the command are refused, never ignored. */
function refuseOptions(word: Word | "call", options: Given["options"]): void {
  const own: Readonly<Record<Word | "call", readonly string[]>> = {
    call: ["area"],
    tools: ["compact"],
    close: ["result"],
    undo: [],
  };
  const strange = Object.keys(options).find((name) => !own[word].includes(name));
  if (strange !== undefined)
    throw usage(
      `\`--${strange}\` has no meaning for \`waymark bot${word === "call" ? " <bot>" : ` ${word}`}\`.`,
      "See `waymark bot --help`.",
    );
}

async function callCommand({ session, args: [bot = "", named, action], options }: Given, context: EngineContext): Promise<number> {
  refuseOptions("call", options);
  // No name has a space in it, so this is what somebody says.
  const sentence = named !== undefined && /\s/.test(named.trim()) ? named.trim() : undefined;
  if (sentence !== undefined && action !== undefined)
    throw usage("A sentence stands alone: it leads to a behaviour or an action by itself.", `Write \`waymark bot ${bot} "${sentence}"\`.`);
  const area: string | undefined = options["area"];
  const driver = { session, context, caller: cliCaller(session.world, context), bot };
  try {
    return await driveBot(driver, {
      bot,
      ...(named === undefined || sentence !== undefined ? {} : { behaviour: named }),
      ...(sentence === undefined ? {} : { sentence }),
      ...(action === undefined ? {} : { action }),
      ...(area === undefined ? {} : { parameters: { project_area: area } }),
    });
  } catch (error) {
    if (!isWaymarkError(error) || error.code !== "CLI_NO_ANSWER") throw error;
    session.out.hint(`\n→ Left as it is; \`waymark bot ${bot}\` comes back to this place.`);
    return exitCodes.done;
  }
}

/** The person's "done", on a terminal as their own word, elsewhere as one that is passed on. */
async function closeCommand(given: Given, context: EngineContext): Promise<number> {
  const {
    session,
    args: [bot = "", action = ""],
    options,
  } = given;
  const { world, out } = session;
  const typed: string | undefined = options["result"];
  const result: JsonObject = typed === undefined ? {} : resultOf(typed);
  refuseUnfilled({ "`--result`": result }, addWord);
  try {
    const closed = await closeAction(context, cliCaller(world, context), {
      ...waiting(session, {}),
      bot,
      result,
      saysNothing: !tellsWork(result),
      ...(action === "" ? {} : { action }),
    });
    const { text, data } = closeView(closed);
    if (!out.json) out.line(`${text}\n`);
    const { code } = await showBot(session, context, { bot, position: closed.position, before: data }, true);
    return closed.left === undefined ? code : exitCodes.failed;
  } catch (error) {
    if (!isWaymarkError(error)) throw error;
    if (error.details["not_done"] !== undefined) return recorded(given, context, "Not all of it could be done, so it is not closed yet.");
    if (error.code === "ENGINE_NO_RESULT") throw noResult(bot, error);
    if (error.code !== "DECISION_FOR_PERSON") throw error;
    // The line that recorded it, run again: its id is that of the work, not of the question that waits for a person.
    const again = typed !== undefined && action !== "" && action !== error.details["decision"];
    if (again || error.details["reported"] === true) return recorded(given, context, "Only a person can say that it is done.");
    const fix = `A person runs this in a terminal: waymark bot close ${quoted(bot)} ${String(error.details["decision"])}`;
    throw failure("CLI_PERSON_ONLY", `${error.message} Nothing was changed.`, fix);
  }
}

function noResult(bot: string, { code, message, details }: WaymarkError): WaymarkError {
  const id = String(details["action_id"]);
  const fix = `Say what was done: waymark bot close ${quoted(bot)} ${id} --result ${quoted(fillIn("what was done"))}`;
  return new WaymarkError({ code, message, fix, details });
}

/** The report is recorded and its question is open, which is shown; files that were left out make it a failure. */
async function recorded({ session, args: [bot = ""] }: Given, context: EngineContext, why: string): Promise<number> {
  const { world, out } = session;
  const position = await callBot(context, cliCaller(world, context), { bot }, waiting(session, {}));
  const message = `The work is recorded. ${why}`;
  if (!out.json) out.line(`${message}\n`);
  const { view, code } = await showBot(session, context, { bot, position, before: { status: "recorded", message } }, true);
  return view?.data["not_done"] === undefined ? code : exitCodes.failed;
}
