import type { Catalogue } from "../../base/index.ts";

/** Every code that this dialect gives, in definitions and in runs. Permanent: a code is never renamed and never reused. */
export const botsCodes: Catalogue = {
  BOTS_NO_CONFIG: {
    what: "A bot has no configuration.",
    why: "`bot_config.json` names the bot and its behaviours; it is in the bot's folder or in `config` below it.",
    fix: "Add the file with `name` and `behaviors`.",
  },
  BOTS_JSON_SYNTAX: {
    what: "A file is not well-formed JSON.",
    why: "A quote, bracket or comma is missing or too much, or the file has comments, which JSON does not know.",
    fix: "Correct the place shown.",
  },
  BOTS_DUPLICATE_KEY: {
    what: "A map has the same key twice.",
    why: "Only one of the two values could count, and which one is not visible.",
    fix: "Remove one of them, or rename it.",
  },
  BOTS_FORBIDDEN_KEY: {
    what: "A key reaches into the machinery of JavaScript objects.",
    why: "`__proto__`, `constructor` and `prototype` are refused in definitions.",
    fix: "Choose another name.",
  },
  BOTS_TOO_DEEP: {
    what: "A file is nested too deeply.",
    why: "More than 60 levels cannot be read by a person and would exhaust the stack.",
    fix: "Write the file with fewer levels.",
  },
  BOTS_UNKNOWN_KEY: {
    what: "A key has no meaning here.",
    why: "It may be misspelt, or belong to another engine. It is kept and reported once.",
    fix: "Correct the spelling, or remove the key.",
  },
  BOTS_FOREIGN_KEY: {
    what: "A key of another engine is accepted but not acted on.",
    why: "It says how that engine runs an action. It is kept and reported once.",
    fix: "Remove the key, or leave it for the other engine.",
  },
  BOTS_MISSING_KEY: {
    what: "A required key is missing.",
    why: "An action has `name`, `workflow`, `order` and `next_action`; a bot has a `name`.",
    fix: "Add the key.",
  },
  BOTS_WRONG_TYPE: {
    what: "A value has the wrong type.",
    why: "The key expects another kind of value.",
    fix: "Write the value in the form that the message names.",
  },
  BOTS_BAD_VALUE: {
    what: "A value has the right type but cannot be used.",
    why: "It is not one of the known words.",
    fix: "Use one of the words that the message names.",
  },
  BOTS_UNKNOWN_WORKFLOW: {
    what: "An action calls a workflow that does not exist.",
    why: "The name is mistyped, or its file is in a folder that is not searched.",
    fix: "Correct the name, create the workflow, or remove `calls`.",
  },
  BOTS_BAD_NAME: {
    what: "A name has characters that names may not have, or is empty.",
    why: "Names end up in tools, state files and paths: letters, digits, `_` and `-`.",
    fix: "Rename it, e.g. `gather_context`.",
  },
  BOTS_DUPLICATE_NAME: {
    what: "Two actions or two behaviours have the same name.",
    why: "Numbers before a name do not tell two folders apart.",
    fix: "Rename one of them, or remove it.",
  },
  BOTS_FOLDER_DIFFERS: {
    what: "A folder and the configuration in it have different names.",
    why: "Both names lead to the action or behaviour; the one in the configuration is shown.",
    fix: "Make both names equal.",
  },
  BOTS_NO_BEHAVIOURS: {
    what: "A bot has no behaviours.",
    why: "Behaviours are what its actions are done for.",
    fix: "List at least one name under `behaviors`.",
  },
  BOTS_UNKNOWN_BEHAVIOUR: {
    what: "A folder below `behaviors/` is not a behaviour of the bot.",
    why: "Only listed behaviours are walked through; names are compared as a whole, without their number.",
    fix: "List it, rename it, or let its name begin with `_`.",
  },
  BOTS_NO_BEHAVIOUR_FOLDER: {
    what: "A listed behaviour has no folder, although others have one.",
    why: "The name may be misspelt. The behaviour has the common actions and no instructions of its own.",
    fix: "Add the folder, or correct the name.",
  },
  BOTS_BEHAVIOUR_ORDER: {
    what: "The behaviours are listed alphabetically, so `order` in each `behavior.json` decides.",
    why: "A list in alphabetical order was written by a program and says nothing about the order that is meant.",
    fix: "List the behaviours in the order in which they are done.",
  },
  BOTS_NO_ACTION_CONFIG: {
    what: "A folder below `base_actions/` has no `action_config.json`.",
    why: "Every folder there is an action, and its configuration says which kind.",
    fix: "Add the file, or remove the folder.",
  },
  BOTS_UNKNOWN_ACTION: {
    what: "A behaviour lists an action that does not exist.",
    why: "Neither `base_actions/` has a folder for it, nor does the behaviour give it instructions.",
    fix: "Correct the name, or add the action.",
  },
  BOTS_NO_FOLDER: {
    what: "`baseActionsPath` names a folder without actions.",
    why: "The path may be one of another machine. The common actions are used.",
    fix: "Write a path relative to the bot's folder, or remove the key.",
  },
  BOTS_NO_ORDER: {
    what: "A workflow action has no `order`.",
    why: "The lowest order is where a behaviour begins.",
    fix: "Add a number, or make the action independent.",
  },
  BOTS_DUPLICATE_ORDER: {
    what: "Two actions, or two behaviours, have the same `order`.",
    why: "Which one comes first is not visible.",
    fix: "Give each an order of its own.",
  },
  BOTS_UNKNOWN_NEXT: {
    what: "`next_action` does not name a workflow action.",
    why: "It is misspelt, names an independent action, or the action is gone. In the later form the next `order` follows instead.",
    fix: "Name an action of the sequence, or write null for the end.",
  },
  BOTS_NEXT_BY_ORDER: {
    what: "`next_action` is missing in a behaviour's own list, so the next `order` follows.",
    why: "The later form allows that.",
    fix: "Add `next_action`, so that the files say what follows.",
  },
  BOTS_CYCLE: {
    what: "Actions lead in a circle.",
    why: "The behaviour would never end.",
    fix: "Change one `next_action`, or write null where the behaviour ends.",
  },
  BOTS_TWO_FIRST: {
    what: "A sequence has two first actions.",
    why: "No `next_action` leads to either of them, so one of the two would never be done.",
    fix: "Name the second one as the `next_action` of the action before it.",
  },
  BOTS_NO_FIRST: {
    what: "A sequence has no first action.",
    why: "There is no workflow action at all, or each one follows another.",
    fix: 'Add a workflow action, or end the sequence with `"next_action": null`.',
  },
  BOTS_UNREACHABLE: {
    what: "A workflow action is never reached.",
    why: "The sequence begins with the lowest order and follows `next_action`, which never leads there.",
    fix: "Name it as the `next_action` of another action, or make it independent.",
  },
  BOTS_INDEPENDENT_PLACED: {
    what: "An independent action has an `order` or a `next_action`.",
    why: 'With `"workflow": false` it is called on its own and never changes the place of the bot.',
    fix: "Write null for both, or make it a workflow action.",
  },
  BOTS_TWO_CHOOSERS: {
    what: "Two actions choose the project area.",
    why: "It is chosen once, before anything is written.",
    fix: "Leave `chooses_project_area` in one of them.",
  },
  BOTS_WITHOUT_EFFECT: {
    what: "A key or a file has no effect beside its neighbours.",
    why: "Another one counts, or what it acts on is missing.",
    fix: "Remove it, or add what the message names.",
  },
  BOTS_NO_INSTRUCTIONS: {
    what: "An action has no instructions.",
    why: "The agent is given its name and description only.",
    fix: "Add `instructions.md` beside its configuration.",
  },
  BOTS_INCLUDE_MISSING: {
    what: "Instructions take in a file that does not exist.",
    why: "The agent would work without it and nobody would notice.",
    fix: "Add the file, or correct the path behind the `@`.",
  },
  BOTS_UNKNOWN_PLACEHOLDER: {
    what: "Nothing fills a placeholder of the instructions.",
    why: "Its name is none of those that a bot, a behaviour or a run gives a value. It is reported once.",
    fix: "Use one of the names that the message lists.",
  },
  BOTS_BAD_PATTERN: {
    what: "A trigger word is not a regular expression.",
    why: "It does not compile and is left out.",
    fix: "Correct it; in JSON every backslash is written twice.",
  },
  BOTS_UNKNOWN_SETTING: {
    what: "A setting is for a behaviour or an action that does not exist.",
    why: "It has no effect.",
    fix: "Correct the key: bot, behaviour and action with dots between them.",
  },
  BOTS_ALL_SKIPPED: {
    what: "Settings skip all actions of a behaviour, or all behaviours.",
    why: "Nothing would be left to do.",
    fix: "Leave one of them, or skip the behaviour as a whole.",
  },
  BOTS_TOOL_CLASH: {
    what: "Two tools of a bot would have the same name.",
    why: "A tool is called by the names of bot, behaviour and action with `_` between them.",
    fix: "Rename a behaviour or an action.",
  },
  BOTS_VIEW_UNREADABLE: {
    what: "A state file or an activity log cannot be read.",
    why: "It is not JSON, is cut off, or holds something else.",
    fix: "Look at the place shown; the file is kept as it is.",
  },
  BOTS_VIEW_VALUE: {
    what: "A value of a state file or an activity log cannot be used.",
    why: "It has the wrong type, is not a time, or not a known word. Everything else of the file counts.",
    fix: "Correct the value, or leave it; it is not taken over.",
  },
  BOTS_VIEW_DISAGREES: {
    what: "Two values of a state file contradict each other.",
    why: "The more exact one counts.",
    fix: "Correct the file if the other one is meant.",
  },
  ENGINE_NOT_A_BOT: {
    what: "The run is not a bot's.",
    why: "It is a run of another kind of workflow.",
    fix: "Use the run of a bot; `waymark bot tools` lists the bots.",
  },
  ENGINE_NO_BOT_PLACE: {
    what: "The bot has no such behaviour or action.",
    why: "The name is mistyped, or its folder is not there.",
    fix: "Use one of the names in the message.",
  },
  ENGINE_NO_AREA: {
    what: "No project area is chosen.",
    why: "State and log are kept there, so nothing is written before.",
    fix: "Answer the question for the project area.",
  },
  ENGINE_AREA_TAKEN: {
    what: "The folder is the project area of another open run of the same bot.",
    why: "Both runs would write the same state and log, and take each other's entries for foreign ones.",
    fix: "Continue the open run, end it first, or name another folder.",
    next: "other",
  },
  ENGINE_NEEDS_ANSWER: {
    what: "A question must be answered before the action can be closed.",
    why: "The action was interrupted, not all that was reported could be done, or a person has to decide something else first.",
    fix: "Answer the question that the message shows.",
  },
  ENGINE_BOT_FILE: {
    what: "The state or the log of a bot could not be written.",
    why: "The project area is read-only, full, or a link leads out of the workspace.",
    fix: "Make the project area writable and retry the run.",
  },
};
