import type { Catalogue } from "../../base/index.ts";

/** Codes that only a definition of a machine can have. */
export const definitionCodes: Catalogue = {
  MACHINE_UNQUOTED_TEMPLATE: {
    what: "A value begins with `{{` and has no quotes.",
    why: "YAML reads it as a map.",
    fix: "Put the value in quotes.",
  },
  MACHINE_ALIAS: {
    what: "A YAML alias cannot be followed.",
    why: "It does not name an anchor above it, contains itself, or grows too large.",
    fix: "Define the anchor before it, or write the value out.",
  },
  MACHINE_SEVERAL_DOCUMENTS: {
    what: "A definition holds several YAML documents.",
    why: "Only one of them can be the machine.",
    fix: "Put each document into a file of its own.",
  },
  MACHINE_NOT_A_MAP: {
    what: "A definition is empty or not a map of keys.",
    why: "A machine is a map with `machine`, `roles` and `states`.",
    fix: "Begin the file with these keys.",
  },
  MACHINE_NOT_JSON: {
    what: "A definition holds something that JSON cannot hold.",
    why: "Definitions are kept as JSON with the run.",
    fix: "Write the value as a text in quotes.",
  },
  MACHINE_UNKNOWN_KEY: {
    what: "A definition has a key that does not belong there.",
    why: "It is misspelt or at the wrong place. A key without an effect would only look as if it had one.",
    fix: "Use the key that the message suggests, or remove it.",
  },
  MACHINE_BAD_VALUE: {
    what: "A value of a definition is empty or out of range.",
    why: "It would have no meaning.",
    fix: "Use a value that the message allows.",
  },
  MACHINE_BAD_NAME: {
    what: "A name has characters that names cannot have.",
    why: "Names are used in conditions, paths and ids.",
    fix: "Begin with a letter and use letters, digits, `_` and `-`.",
  },
  MACHINE_RESERVED_NAME: {
    what: "A name is taken by Waymark itself.",
    why: "`end`, `ASK_USER` and `BLOCKED` are not states, some inputs are there in every machine, and the result of a task takes no name that the machine or a person's answer has.",
    fix: "Choose another name, or remove the declaration.",
  },
  MACHINE_BAD_PATH: {
    what: "A path leads out of the folder it belongs to.",
    why: "Artifacts are in the session's folder, and instructions beside the definition.",
    fix: "Use a relative path without `..`.",
  },
  MACHINE_UNKNOWN_STATE: {
    what: "A state is named that does not exist.",
    why: "The name is misspelt, or the state was removed.",
    fix: "Correct the name, or add the state.",
  },
  MACHINE_UNKNOWN_ROLE: {
    what: "A role is named that does not exist.",
    why: "The name is misspelt, or the role was removed.",
    fix: "Correct the name, or add the role.",
  },
  MACHINE_UNKNOWN_ARTIFACT: {
    what: "An artifact is named that does not exist.",
    why: "The name is misspelt. Globs of project files have a `*`, a `/` or a `.` in them.",
    fix: "Correct the name, or add the artifact.",
  },
  MACHINE_UNKNOWN_MODE: {
    what: "A mode is named that does not exist.",
    why: "The name is misspelt, or the mode was removed.",
    fix: "Correct the name, or add the mode.",
  },
  MACHINE_UNKNOWN_NAME: {
    what: "A condition reads a name that nothing gives a value.",
    why: "It would always be null, and the condition would never do what it seems to say.",
    fix: "Correct the name, or declare it.",
  },
  MACHINE_CONDITION: {
    what: "A condition or template is not JavaScript.",
    why: "It cannot be read at the place shown.",
    fix: "Correct it there.",
  },
  MACHINE_TWO_DEFAULTS: {
    what: "Two modes are the default.",
    why: "A run that asks for no mode could begin in either.",
    fix: "Let one of them be it.",
  },
  MACHINE_LIMIT_UNUSED: {
    what: "The limit of a mode has no effect.",
    why: "No condition of a state reads `most_files`.",
    fix: "Compare `changed_files` with it in a state, or remove it.",
  },
  MACHINE_NO_START: {
    what: "A machine does not say where it begins, or says it twice.",
    why: "It has neither `start` nor `modes`, or both.",
    fix: "Give it `start`, or `modes` with a start each.",
  },
  MACHINE_NO_EFFECT: {
    what: "A key of a machine has no effect any more.",
    why: "`reasks` was how many wrong answers a gate took before it was closed without one. Now a gate stays open until a person answers or declines.",
    fix: "Remove the key.",
  },
  MACHINE_NO_DONE: {
    what: "A machine does not say when it is done.",
    why: "Without `done` a run could end with anything left open.",
    fix: "Add `done` with what must hold.",
  },
  MACHINE_DONE_UNMEETABLE: {
    what: "The definition of done asks for something that can never be.",
    why: "No state or artifact makes it.",
    fix: "Add what the message names, or ask for less.",
  },
  MACHINE_NO_FINISH: {
    what: "The end can be reached without the definition of done being checked.",
    why: "The state before the end has no step `finish`, or only under a condition.",
    fix: "Add the step `finish` to it.",
  },
  MACHINE_NO_END: {
    what: "From some states the end cannot be reached.",
    why: "They lead only to each other.",
    fix: "Let one of them lead on, or to `end`.",
  },
  MACHINE_DEAD_END: {
    what: "A state cannot be left, or only when a condition holds.",
    why: "It has no `next`.",
    fix: "Add `next`; at the end it is `end`.",
  },
  MACHINE_UNREACHABLE: {
    what: "Nothing leads to a state.",
    why: "No `next`, `to`, `start` or repair names it.",
    fix: "Lead to it, or remove it.",
  },
  MACHINE_STATE_FORM: {
    what: "A state is two things at once, or half of one.",
    why: "A state does steps, holds a machine with a start, or is a repair loop.",
    fix: "Remove or add what the message names.",
  },
  MACHINE_STEP_FORM: {
    what: "A step does nothing, or several things at once.",
    why: "Each step has exactly one word that says what it does.",
    fix: "Give it one of the words that the message lists.",
  },
  MACHINE_NO_TASK: {
    what: "A step is about the current task where there is none.",
    why: "Only a machine inside a state with `each: tasks` has a current task.",
    fix: "Use `all`, or move the step.",
  },
  MACHINE_NO_TASKS: {
    what: "A state runs for each task, but there never are any.",
    why: "No state has the step `take_tasks`.",
    fix: "Add it to a state before.",
  },
  MACHINE_WRONG_FORM: {
    what: "An artifact does not go with its form.",
    why: "Each built-in form has its own name, file and sections, and tasks can only be taken from the form `tasks`.",
    fix: "Correct what the message names.",
  },
  MACHINE_GATE_OPEN: {
    what: "A gate does not say which answer passes, or says it in two ways.",
    why: "It needs either `passes` or `choices`.",
    fix: "Give it one of them.",
  },
  MACHINE_GATE_WORD: {
    what: "A word of a gate's answers means two choices, or none.",
    why: "What a person answers must name exactly one choice; case, spaces, hyphens and full stops make no difference.",
    fix: "Give every choice words of its own.",
  },
  MACHINE_GATE_TWICE: {
    what: "Two gates have the same id.",
    why: "A gate's answer is kept under its id, so one would pass with the other.",
    fix: "Give each its own id.",
  },
  MACHINE_GATE_INSIDE: {
    what: "A gate is in a machine inside a state.",
    why: "A gate has one answer for the whole session, and such states may be entered many times.",
    fix: "Move it to a state of the outermost machine, or use `ask`.",
  },
  MACHINE_BAD_ANSWER: {
    what: "A role may answer a word that its reports can never have.",
    why: "The kind of output decides which words there are.",
    fix: "Use a word of that kind, or choose another `output`.",
  },
  MACHINE_NO_INSTRUCTIONS: {
    what: "The instructions of a role do not exist or are empty.",
    why: "The agent in this role would not know what to do.",
    fix: "Write the file that the message names.",
  },
  MACHINE_NOT_WRITTEN: {
    what: "A role is to leave an artifact that it may not write.",
    why: "Its report could never count.",
    fix: "Add the artifact to the role's `writes`.",
  },
  MACHINE_NEVER_WRITTEN: {
    what: "A role needs an artifact that no role writes.",
    why: "The role could never be dispatched.",
    fix: "Let a role write it, or make it optional with `?`.",
  },
  MACHINE_ROLE_IDLE: {
    what: "No state gives a role anything to do.",
    why: "It is named in no `dispatch`, `repair` or `changes`.",
    fix: "Dispatch it, or remove it.",
  },
};
