import { defined, isWaymarkError, WaymarkError, type JsonObject } from "../../../base/index.ts";
import { callBot, closeAction, tellsWork } from "../run/index.ts";
import { closeView } from "../views/index.ts";
import { atDesk, exitCodes, failure, fillIn, loadCommandKit, quoted, usage, type Desk, type Given } from "../../../cli/index.ts";
import { driveBot, resultOf, showBot } from "./drive-bot.ts";
import { listTools } from "./list-tools.ts";
import { undoFiles } from "./undo-files.ts";

const { addWord, refuseUnfilled, waiting } = await loadCommandKit();

/** Options of each form of the command. */
const forms: Readonly<Record<"call" | "tools" | "close" | "undo", readonly string[]>> = {
  call: ["area"],
  tools: ["compact"],
  close: ["result"],
  undo: [],
};

export async function botCommand(given: Given): Promise<number> {
  const { args, options } = given;
  const [first = "", bot, third = ""] = args;
  const action = third === "" ? undefined : third;
  const word = (["tools", "close", "undo"] as const).find((each) => each === first);
  return atDesk(given, async (desk) => {
    refuseOptions(word ?? "call", options);
    if (word === undefined) return callCommand(desk, given);
    if (word === "tools") return listTools(desk.session, desk.context, bot, options["compact"] === true);
    if (bot === undefined) throw usage(`\`waymark bot ${word}\` needs the name of a bot.`, `Write \`waymark bot ${word} story_bot\`.`);
    return word === "close" ? closeCommand(desk, bot, action, options["result"]) : undoFiles(desk, bot, action);
  });
}

/** Options that belong to another form of the command are refused, never ignored. */
function refuseOptions(word: keyof typeof forms, options: Given["options"]): void {
  const strange = Object.keys(options).find((name) => !forms[word].includes(name));
  if (strange !== undefined)
    throw usage(
      `\`--${strange}\` has no meaning for \`waymark bot${word === "call" ? " <bot>" : ` ${word}`}\`.`,
      "See `waymark bot --help`.",
    );
}

async function callCommand(desk: Desk, { args: [bot = "", named, action], options }: Given): Promise<number> {
  // No name has a space in it, so this is a sentence.
  const sentence = named !== undefined && /\s/.test(named.trim()) ? named.trim() : undefined;
  if (sentence !== undefined && action !== undefined)
    throw usage("Give the sentence alone: it leads to a behaviour or an action by itself.", `Write \`waymark bot ${bot} "${sentence}"\`.`);
  const area: string | undefined = options["area"];
  const behaviour = sentence === undefined ? named : undefined;
  const parameters = area === undefined ? undefined : { project_area: area };
  try {
    return await driveBot({ ...desk, bot }, { bot, ...defined({ behaviour, sentence, action, parameters }) });
  } catch (error) {
    if (!isWaymarkError(error) || error.code !== "CLI_NO_ANSWER") throw error;
    desk.session.out.hint(`\n→ Left as it is; \`waymark bot ${bot}\` comes back to this place.`);
    return exitCodes.done;
  }
}

/** The person's "done", on a terminal as their own word, elsewhere as one that is passed on. `typed`: what was typed as its result. */
async function closeCommand(desk: Desk, bot: string, action: string | undefined, typed: string | undefined): Promise<number> {
  const { session, context, caller, shares } = desk;
  const { out } = session;
  const result: JsonObject = typed === undefined ? {} : resultOf(typed);
  await refuseUnfilled(shares, { "`--result`": result }, addWord);
  try {
    const request = { ...waiting(session), bot, result, saysNothing: !tellsWork(result), ...defined({ action }) };
    const closed = await closeAction(context, caller, request);
    const { text, data } = closeView(closed);
    if (!out.json) out.line(`${text}\n`);
    const { code } = await showBot(desk, { bot, position: closed.position, before: data }, true);
    return closed.left === undefined ? code : exitCodes.failed;
  } catch (error) {
    if (!isWaymarkError(error)) throw error;
    if (error.details["not_done"] !== undefined) return recorded(desk, bot, "Not all of it could be done, so it is not closed yet.");
    if (error.code === "ENGINE_NO_RESULT") throw noResult(bot, error);
    if (error.code !== "DECISION_FOR_PERSON") throw error;
    // The line that recorded it, run again: its id is that of the work, not of the question that waits for a person.
    const again = typed !== undefined && action !== undefined && action !== error.details["decision"];
    if (again || error.details["reported"] === true) return recorded(desk, bot, "Only a person can say that it is done.");
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
async function recorded(desk: Desk, bot: string, why: string): Promise<number> {
  const { session, context, caller } = desk;
  const position = await callBot(context, caller, { bot }, waiting(session));
  const message = `The work is recorded. ${why}`;
  if (!session.out.json) session.out.line(`${message}\n`);
  const { view, code } = await showBot(desk, { bot, position, before: { status: "recorded", message } }, true);
  return view?.data["not_done"] === undefined ? code : exitCodes.failed;
}
