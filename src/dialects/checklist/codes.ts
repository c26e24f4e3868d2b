import type { Catalogue } from "../../base/index.ts";

/** Every code that this dialect gives, in definitions and in runs. Permanent: a code is never renamed and never reused. */
export const checklistCodes: Catalogue = {
  CHECKLIST_YAML_SYNTAX: {
    what: "The file is not well-formed YAML or JSON.",
    why: "A quote, bracket or indentation does not close, or a value starts with a character that YAML reserves.",
    fix: "Correct the line shown; put regular expressions and globs in quotes.",
  },
  CHECKLIST_UNQUOTED_TEMPLATE: {
    what: "A template has no quotes.",
    why: "YAML reads `{{match}}` without quotes as a map inside a map, so the template is lost.",
    fix: "Put quotes around the whole value.",
  },
  CHECKLIST_DUPLICATE_KEY: {
    what: "A map has the same key twice.",
    why: "Only one of the two values could count, and which one is not visible.",
    fix: "Remove one of them, or rename it.",
  },
  CHECKLIST_ALIAS: {
    what: "An alias cannot be used.",
    why: "It names an anchor that does not exist, contains itself, or the aliases of the file expand to more values than a definition may hold.",
    fix: "Define the anchor before it is used, or write the values out.",
  },
  CHECKLIST_SEVERAL_DOCUMENTS: {
    what: "The file holds several YAML documents.",
    why: "One file is one workflow.",
    fix: "Put each document into a file of its own.",
  },
  CHECKLIST_NOT_A_MAP: {
    what: "The file is empty or not a map of keys.",
    why: "A checklist workflow begins with keys such as `type` and `phases`.",
    fix: "Begin the file with `type:`, `name:`, `file_patterns:` and `phases:`.",
  },
  CHECKLIST_NOT_JSON: {
    what: "A value cannot be kept as JSON.",
    why: "Definitions are JSON: no infinite numbers, no custom tags, no maps or lists as keys.",
    fix: "Write the value as text, or use a plain number, list or map.",
  },
  CHECKLIST_FORBIDDEN_KEY: {
    what: "A key reaches into the machinery of JavaScript objects.",
    why: "`__proto__`, `constructor` and `prototype` are refused in definitions.",
    fix: "Choose another name.",
  },
  CHECKLIST_TOO_DEEP: {
    what: "The file is nested too deeply.",
    why: "More than 60 levels cannot be read by a person and would exhaust the stack.",
    fix: "Write the definition with fewer levels.",
  },
  CHECKLIST_UNKNOWN_KEY: {
    what: "A key has no meaning here.",
    why: "Every key has an effect; a misspelt one would be ignored without anybody noticing.",
    fix: "Correct the spelling, or remove the key.",
  },
  CHECKLIST_MISSING_KEY: {
    what: "A required key is missing.",
    why: "Without it the workflow, phase, entry or pattern cannot be carried out.",
    fix: "Add the key.",
  },
  CHECKLIST_WRONG_TYPE: {
    what: "A value has the wrong type.",
    why: "The key expects another kind of value.",
    fix: "Write the value in the form that the message names.",
  },
  CHECKLIST_BAD_VALUE: {
    what: "A value has the right type but cannot be used.",
    why: "It is outside the allowed words, range or form.",
    fix: "Use one of the values that the message names.",
  },
  CHECKLIST_CONFLICTING_KEYS: {
    what: "Keys contradict each other, or none of several alternatives is given.",
    why: "Only one of them can count.",
    fix: "Keep the one that is meant.",
  },
  CHECKLIST_WITHOUT_EFFECT: {
    what: "A key has no effect beside its neighbours.",
    why: "What it acts on is switched off or missing.",
    fix: "Remove it, or add what the message names.",
  },
  CHECKLIST_TEMPLATE: {
    what: "A template of a task cannot be used.",
    why: "It is not JavaScript, or it names something that a checklist does not have.",
    fix: "Correct it at the place that the message shows.",
  },
  CHECKLIST_FOREIGN_KEY: {
    what: "A key of another engine is accepted but not acted on.",
    why: "The agent is shown it as guidance; the engine does nothing with it.",
    fix: "Remove the key, or express it with phases, entries and patterns.",
  },
  CHECKLIST_FOREIGN_TOOL: {
    what: "A tool of another engine is named.",
    why: "Waymark has a tool with the same purpose under another name, and uses that.",
    fix: "Write the name of Waymark's tool.",
  },
  CHECKLIST_DEFAULT_USED: {
    what: "A section is missing, and a default takes its place.",
    why: "Files written for other engines often leave it out.",
    fix: "Write the section, so that the file says what happens.",
  },
  CHECKLIST_NO_DESCRIPTION: {
    what: "The workflow has no description.",
    why: "People and agents choose a workflow by its description.",
    fix: "Add `description:` with one sentence.",
  },
  CHECKLIST_BAD_CALL: {
    what: "A workflow under `sub_workflows` does not exist.",
    why: "The name is mistyped, or its file is in a folder that is not searched.",
    fix: "Correct the name, create the workflow, or remove it from the list.",
  },
  CHECKLIST_BAD_NAME: {
    what: "A workflow name has characters that names may not have.",
    why: "Names are letters, digits, `-`, `_` and `:`, so that they work in commands and as file names.",
    fix: "Rename the workflow, e.g. `code-review`.",
  },
  CHECKLIST_BAD_ID: {
    what: "An id has characters that ids may not have.",
    why: "Ids are letters, digits, `_`, `-`, `.` and `:`; `/` and `#` belong to the engine.",
    fix: "Rename the id.",
  },
  CHECKLIST_DUPLICATE_ID: {
    what: "Two phases, entries or patterns have the same id, or a type has two transformations.",
    why: "Replies, filters and reports name them by their id.",
    fix: "Rename one of them, or remove it.",
  },
  CHECKLIST_BAD_GLOB: {
    what: "A glob cannot match any file of a project.",
    why: "Globs are relative to the project, use `/`, stay inside it and close their brackets.",
    fix: "Correct the glob, e.g. `src/**/*.al`.",
  },
  CHECKLIST_BAD_REGEX: {
    what: "A regular expression or its flags cannot be used.",
    why: "It does not compile.",
    fix: "Correct the expression; in double quotes every backslash is written twice.",
  },
  CHECKLIST_UNKNOWN_FINDER: {
    what: "A finder does not exist.",
    why: "Finders are built in and understand one language each.",
    fix: "Use one of the finders that the message names, or a `regex`.",
  },
  CHECKLIST_UNKNOWN_TYPE: {
    what: "A transformation is for a type that no rule gives.",
    why: "No instance would ever have that type.",
    fix: "Use the name of a rule of the same pattern.",
  },
  CHECKLIST_UNKNOWN_PLACEHOLDER: {
    what: "A template has a placeholder that nothing fills, or that does not close.",
    why: "The text of the placeholder itself would end up in the code.",
    fix: "Use one of the placeholders that the message names, or a named group of the expression.",
  },
  CHECKLIST_NO_TRANSFORMATION: {
    what: "Instances are marked as automatically fixable, but no transformation says how.",
    why: "The engine has no replacement for them, so they go to review.",
    fix: "Add a transformation for the type, or set `auto_fixable: false`.",
  },
  CHECKLIST_NO_PATTERNS: {
    what: "Patterns are needed, but there are none.",
    why: "Neither `patterns` nor conversion guides give the engine something to look for.",
    fix: "Add patterns, or set `enabled: false`.",
  },
  CHECKLIST_PHASE_MISSING: {
    what: "No phase does what another section asks for.",
    why: "A scan, guides and commands belong to a phase, so that people see when they happen.",
    fix: "Add the phase that the message names.",
  },
  CHECKLIST_PHASE_ORDER: {
    what: "Phases are in an order in which they cannot run.",
    why: "A phase needs what a later one brings.",
    fix: "Move the phase.",
  },
  CHECKLIST_UNKNOWN_PHASE: {
    what: "A phase is named that does not exist.",
    why: "Conditions refer to phases of the same workflow by their id.",
    fix: "Correct the id.",
  },
  CHECKLIST_FREE_CONDITION: {
    what: "An entry condition is not about a phase.",
    why: "The engine cannot tell whether it holds; the agent is shown it when the phase begins.",
    fix: "Write `<phase id> phase completed`, or move the text into `checklist`.",
  },
  CHECKLIST_NOTHING_AUTONOMOUS: {
    what: "An autonomous phase leaves the engine nothing to do.",
    why: "The engine lists files, finds guides, scans, applies certain fixes, verifies and reports; anything else needs an agent.",
    fix: "Use `mode: guided`, or give the phase an id that says what the engine does.",
  },
  CHECKLIST_GUIDED_INSTEAD: {
    what: "A phase that is usually autonomous is guided here.",
    why: "Its id means work of the engine, but nothing in the file gives the engine that work.",
    fix: "Write `mode: guided`, or add what the message names.",
  },
  CHECKLIST_TAKEN_AS_SUMMARY: {
    what: "An autonomous phase at the end is taken as the summary.",
    why: "Its id is unknown, and the report is what the engine does at the end.",
    fix: "Name the phase `summary`.",
  },
  CHECKLIST_ENTRY_PHASE: {
    what: "An entry has no phase in which it can be done.",
    why: "Entries of the agent need a guided or agent-driven phase, those of the engine one in which it scans or verifies.",
    fix: "Correct `conditions.phase` or `by`, or add a phase.",
  },
  CHECKLIST_ENTRY_BY: {
    what: "The engine cannot do an entry.",
    why: "It does analyses by scanning and validations by scanning again; it needs patterns for both.",
    fix: "Write `by: agent`, or add patterns.",
  },
  CHECKLIST_BAD_VERSION: {
    what: "A version cannot be read, or the versions are in the wrong order.",
    why: "Versions are written like `BC24`, and the target is later than the source.",
    fix: "Correct the version, or write `null` to have it given at start.",
  },
  ENGINE_NOT_A_CHECKLIST: {
    what: "The run has no files, items or batches.",
    why: "It is a run of another kind of workflow.",
    fix: "Use the run of a checklist workflow; `waymark runs` lists them.",
  },
  ENGINE_OFF_COURSE: {
    what: "A report does not fit what is open.",
    why: "It names another file, item or action, a file outside the run or an unknown topic, or it lacks a reason.",
    fix: "Do what the message calls open, and report that.",
    next: "next",
  },
  ENGINE_TOKEN_UNKNOWN: {
    what: "The run never gave out this confirmation token.",
    why: "It is mistyped, or belongs to another run.",
    fix: "Make a dry run of the batch and confirm with its token.",
  },
  ENGINE_TOKEN_USED: {
    what: "The confirmation token has been used.",
    why: "A token confirms one batch, which is done once.",
    fix: "Look at the run's status; make a new dry run for more.",
  },
  ENGINE_TOKEN_DEAD: {
    what: "The preview that the token confirms is out of date.",
    why: "A file, the rules, the filter or the operation changed, or a day has passed.",
    fix: "Make a new dry run, show it to the person, and confirm with its token.",
  },
  ENGINE_NO_BATCH: {
    what: "The run has no such batch.",
    why: "The id is mistyped, or nothing was changed by a batch.",
    fix: "The run's status lists its batches.",
  },
  CHECKLIST_NO_GIT: {
    what: "Changed files were asked for in a folder that is not in a git repository.",
    why: "Only git says which files were changed; without a repository, or without git, nothing does.",
    fix: "Work in a clone of the repository, or leave `since` (`--since`) out.",
  },
  CHECKLIST_UNKNOWN_REF: {
    what: "The commit, branch or tag to compare with is not known.",
    why: "It is mistyped, or it was not fetched.",
    fix: "Name one that `git branch --all` lists, or fetch it first.",
  },
  CHECKLIST_NO_MERGE_BASE: {
    what: "The work and what it is compared with have no common commit.",
    why: "The clone is shallow, as those of CI often are, or the two histories have nothing in common.",
    fix: "Fetch the whole history (`git fetch --unshallow`, `fetch-depth: 0`), or name another branch.",
  },
  CHECKLIST_GIT_FAILED: {
    what: "The command git failed when it was asked what was changed.",
    why: "See the message: the repository may be damaged, or a commit that a run began with is gone.",
    fix: "Make `git status` and `git diff` work in the folder, then try again.",
  },
  CHECKLIST_TOOL_BROKEN: {
    what: "A tool of the team did not say what it found.",
    why: "It could not be started, was stopped, printed something else than its format, or ended with an error and without a finding. That is never taken for no findings.",
    fix: "Run the command that the message names, repair what it complains of, and retry the run.",
    next: "nothing",
  },
  FILES_FAILED: {
    what: "Every file of a checklist failed.",
    why: "Nothing is left that could pass the phases that are required.",
    fix: "Correct the cause and retry the run, or end it.",
  },
};
