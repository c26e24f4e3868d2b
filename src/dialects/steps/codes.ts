import type { Catalogue } from "../../base/index.ts";

/** Every code a diagnostic of this dialect can carry. Permanent: a code is never renamed and never reused. */
export const stepsCodes: Catalogue = {
  STEPS_YAML_SYNTAX: {
    what: "The file is not well-formed YAML.",
    why: "A quote, bracket or indentation does not close, or a value starts with a character that YAML reserves.",
    fix: "Correct the line shown; put quotes around texts with `{{`, `: `, `#` or a leading `@`, `*`, `&`, `!`.",
  },
  STEPS_UNQUOTED_TEMPLATE: {
    what: "A template has no quotes.",
    why: "YAML reads `{{ x }}` without quotes as a map inside a map, so the template is lost.",
    fix: 'Put quotes around the whole value: `"{{ x }}"`.',
  },
  STEPS_DUPLICATE_KEY: {
    what: "A map has the same key twice.",
    why: "Only one of the two values could count, and which one is not visible.",
    fix: "Remove one of them, or rename it.",
  },
  STEPS_ALIAS: {
    what: "An alias cannot be used.",
    why: "It names an anchor that does not exist, contains itself, or the aliases of the file expand to more values than a definition may hold.",
    fix: "Define the anchor before it is used, or write the values out.",
  },
  STEPS_SEVERAL_DOCUMENTS: {
    what: "The file holds several YAML documents.",
    why: "One file is one workflow or one set of shared components, so that every name has one place.",
    fix: "Put each document into a file of its own and name the shared ones under `imports`.",
  },
  STEPS_NOT_A_MAP: {
    what: "The file, or its `workflow:` wrapper, is not a map of keys.",
    why: "A workflow begins with keys such as `name` and `steps`.",
    fix: "Begin the file with `name:` and `steps:`.",
  },
  STEPS_NOT_JSON: {
    what: "A value cannot be kept as JSON.",
    why: "State, inputs and arguments are JSON: no infinite numbers, no custom tags, no maps or lists as keys.",
    fix: "Write the value as text, or use a plain number, list or map.",
  },
  STEPS_FORBIDDEN_KEY: {
    what: "A key reaches into the machinery of JavaScript objects.",
    why: "`__proto__`, `constructor` and `prototype` are refused in definitions and state paths.",
    fix: "Choose another name.",
  },
  STEPS_TOO_DEEP: {
    what: "The file is nested too deeply.",
    why: "More than 60 levels cannot be read by a person and would exhaust the stack.",
    fix: "Move inner steps into a workflow of their own and use `include_workflow`.",
  },
  STEPS_TOO_LARGE: {
    what: "The workflow unfolds into too many steps.",
    why: "Every `parallel_foreach` gets its own copy of its task; tasks that start tasks multiply them.",
    fix: "Use fewer steps that start the same task, or move parts into included workflows, which are kept once.",
  },
  STEPS_SECOND_GENERATION: {
    what: "The file is written in the second generation of the dialect.",
    why: "It uses keys of that form only. This form is not supported yet.",
    fix: "Rewrite the named keys in the first form (`while`, `then`, `mcp`, `state_update` ...).",
  },
  STEPS_MIXED_GENERATIONS: {
    what: "A key of the second generation is in a file of the first.",
    why: "Both forms use the same words with different meanings, so a mixture cannot be read safely.",
    fix: "Use the key that the message names.",
  },
  STEPS_UNKNOWN_KEY: {
    what: "A key has no meaning here.",
    why: "Every key has an effect; a misspelt one would be ignored without anybody noticing.",
    fix: "Correct the spelling, or remove the key.",
  },
  STEPS_MISSING_KEY: {
    what: "A required key is missing.",
    why: "Without it the step or section cannot be carried out.",
    fix: "Add the key.",
  },
  STEPS_WRONG_TYPE: {
    what: "A value has the wrong type.",
    why: "The key expects another kind of value.",
    fix: "Write the value in the form that the message names.",
  },
  STEPS_BAD_VALUE: {
    what: "A value has the right type but cannot be used.",
    why: "It is outside the allowed words, range or form.",
    fix: "Use one of the values that the message names.",
  },
  STEPS_CONFLICTING_KEYS: {
    what: "Keys exclude each other, or none of several alternatives is given.",
    why: "Exactly one of them can count.",
    fix: "Keep exactly one of the keys that the message names.",
  },
  STEPS_WITHOUT_EFFECT: {
    what: "A key has no effect beside its neighbours.",
    why: "Another key switches it off.",
    fix: "Remove it, or change the key that the message names.",
  },
  STEPS_UNKNOWN_STEP_TYPE: {
    what: "The `type` of a step is missing or unknown.",
    why: "The type decides what the step does and who does it.",
    fix: "Use one of the step types of the dialect.",
  },
  STEPS_UNKNOWN_OPERATION: {
    what: "The `operation` of a state update is unknown.",
    why: "An update sets, appends, increments, decrements, multiplies or merges.",
    fix: "Use one of these operations.",
  },
  STEPS_UNKNOWN_TYPE_WORD: {
    what: "A type word is unknown.",
    why: "Inputs and state fields are string, number, boolean, object, array or any.",
    fix: "Use one of these words.",
  },
  STEPS_BAD_NAME: {
    what: "A workflow name has characters that names may not have.",
    why: "Names are letters, digits, `-`, `_` and `:`, so that they work in commands and as file names.",
    fix: "Rename the workflow, e.g. `category:action`.",
  },
  STEPS_NAME_DIFFERS: {
    what: "The name inside the file is not the name it is stored under.",
    why: "The name inside the file decides, so the file is not found under its file name.",
    fix: "Make both names equal.",
  },
  STEPS_NO_DESCRIPTION: {
    what: "The workflow has no description.",
    why: "People and agents choose a workflow by its description.",
    fix: "Add `description:` with one sentence.",
  },
  STEPS_NO_VERSION: {
    what: "The workflow has no version.",
    why: "Runs are listed with the version they were started with; without one it is `1.0.0`.",
    fix: 'Add `version: "1.0.0"`.',
  },
  STEPS_BAD_ID: {
    what: "A step id is empty or has characters that ids may not have.",
    why: "Ids are letters, digits, `_`, `-`, `.` and `:`; `/` and `$` belong to the engine.",
    fix: "Rename the id, or leave it out.",
  },
  STEPS_DUPLICATE_ID: {
    what: "Two steps have the same id.",
    why: "Reports, logs and resume name steps by their id.",
    fix: "Rename one of them.",
  },
  STEPS_ID_TEMPLATE_UNUSED: {
    what: "The template in a step's id is not rendered.",
    why: "Only steps that are carried out show a rendered id; a step that contains others keeps a fixed one.",
    fix: "Use a fixed id here, and templates in the ids of the steps inside.",
  },
  STEPS_NOT_IN_LOOP: {
    what: "`break` or `continue` is outside a loop.",
    why: "There is no loop to leave. A sub-agent task is a line of execution of its own and cannot leave the loop around it.",
    fix: "Move it into a `while` or `foreach`, or use `exit`.",
  },
  STEPS_EXIT_NOT_ALLOWED: {
    what: "`exit` is among steps that run because something failed.",
    why: "The outcome is already decided by the failure.",
    fix: "Remove the step.",
  },
  STEPS_UNREACHABLE: {
    what: "Steps can never be reached.",
    why: "They follow `break`, `continue` or `exit` in the same list.",
    fix: "Remove them, or put the leaving step into a `conditional`.",
  },
  STEPS_UNKNOWN_TASK: {
    what: "A `sub_agent_task` is not defined.",
    why: "Neither this file nor its imports have a task of that name.",
    fix: "Define it under `sub_agent_tasks`, or correct the name.",
  },
  STEPS_UNUSED_TASK: {
    what: "A sub-agent task is never used.",
    why: "No `parallel_foreach` step names it.",
    fix: "Use it, or remove it.",
  },
  STEPS_TASK_CYCLE: {
    what: "A sub-agent task starts itself.",
    why: "Each task would start further tasks without end.",
    fix: "Break the chain that the message names.",
  },
  STEPS_UNKNOWN_WORKFLOW: {
    what: "An included workflow was not found.",
    why: "Neither the imports of the file nor the workflow folders have one of that name.",
    fix: "Correct the name, import the file, or create the workflow.",
  },
  STEPS_DYNAMIC_WORKFLOW: {
    what: "The name of an included workflow holds a template.",
    why: "Included workflows are pinned when the run starts, so the name must be known then.",
    fix: "Use a `conditional` with one `include_workflow` for each name.",
  },
  STEPS_WORKFLOW_CLASH: {
    what: "Two files define a workflow of the same name.",
    why: "A run can hold only one workflow under one name.",
    fix: "Rename one of them.",
  },
  STEPS_INCLUDE_CYCLE: {
    what: "Workflows include each other in a circle.",
    why: "Such a run would never end.",
    fix: "Break the chain that the message names.",
  },
  STEPS_INCLUDE_INPUT: {
    what: "The inputs of an `include_workflow` step do not fit the included workflow.",
    why: "An input is unknown, missing, or has the wrong type.",
    fix: "Compare with the `inputs` of the included workflow.",
  },
  STEPS_UNDECLARED_INPUT: {
    what: "An input is used that the workflow does not declare.",
    why: "Nobody can give it at start, so it is always null.",
    fix: "Declare it under `inputs`, or correct the name.",
  },
  STEPS_IMPORT_NOT_FOUND: {
    what: "An imported file was not found.",
    why: "Imports are looked up beside the importing file, then in the workflows folder, and never outside of it.",
    fix: "Correct the path; it is relative and uses `/`.",
  },
  STEPS_IMPORT_CYCLE: {
    what: "Files import each other in a circle.",
    why: "There is no order in which they could be read.",
    fix: "Move what they share into a third file.",
  },
  STEPS_IMPORT_CLASH: {
    what: "Two imports define the same name.",
    why: "Which one counts is not visible in the importing file.",
    fix: "Rename one, or define the name in the importing file, which then wins.",
  },
  STEPS_IMPORT_SHADOWED: {
    what: "A definition hides one of an import.",
    why: "The importing file wins.",
    fix: "Rename it if that is not intended.",
  },
  STEPS_SHARED_FILE_KEY: {
    what: "A shared file without `steps` has a key that only a workflow can have.",
    why: "Nothing of it would reach the importing workflow.",
    fix: "Move the key into the importing workflow, or give the file `steps`.",
  },
  STEPS_WRITE_PATH: {
    what: "A path cannot be written to.",
    why: "Writable paths start with `raw.` or `state.` and name at least one field; `computed` is derived and `inputs` is read-only.",
    fix: "Write to `raw.<name>` or `state.<name>`.",
  },
  STEPS_SHARED_WRITE: {
    what: "Parallel tasks set the same path.",
    why: "Every task replaces what the others wrote; the last one wins.",
    fix: "Put `{{ task_id }}` or something of the item into the path, or use `append`, `increment` or `merge`.",
  },
  STEPS_PERSONS_PATH: {
    what: "An agent's result is stored where a person's answer is.",
    why: "No agent may change what a person answered, so the run fails if the agent's result comes later.",
    fix: "Store the result under another path, or store it before the person is asked.",
  },
  STEPS_PERSONS_COPY: {
    what: "A condition decides by a copy of a person's answer.",
    why: "No agent may change what a person answered, but everything else in the state, also what was made from the answer.",
    fix: "Read the answer itself in the condition, or use a computed field.",
  },
  STEPS_ITEMS: {
    what: "`items` is a text that cannot become a list.",
    why: "A loop runs over a list value; only a text that is one template as a whole keeps the type of its value.",
    fix: 'Write `items: "{{ name }}"`, or a YAML list.',
  },
  STEPS_EXPRESSION: {
    what: "An expression has a syntax error.",
    why: "It is not valid JavaScript, or a template does not close.",
    fix: "Correct the place shown.",
  },
  STEPS_UNKNOWN_NAME: {
    what: "An expression reads a name that nothing defines.",
    why: "It is not a state field, an input, a computed field or a loop name, so it is null when the step runs.",
    fix: "Correct the name, or declare it under `state_schema` or `default_state`.",
  },
  STEPS_COMPUTED_CYCLE: {
    what: "Computed fields depend on each other in a circle.",
    why: "There is no order in which they could be computed.",
    fix: "Break the chain that the message names.",
  },
  STEPS_UNKNOWN_FROM: {
    what: "A computed field is made from a path that does not exist.",
    why: "Paths start with `raw.`, `state.`, `computed.` or `inputs.` and name something that is declared or written.",
    fix: "Correct the path, or declare the field.",
  },
  STEPS_NAME_COLLISION: {
    what: "The same name is in several tiers of the state.",
    why: "Readers see one flat view, in which computed hides raw and raw hides state.",
    fix: "Use different names.",
  },
  STEPS_DEFAULT_TYPE: {
    what: "A default value does not have the declared type, or breaks its own validation.",
    why: "The first run with the default would already be wrong.",
    fix: "Change the default or the declaration.",
  },
  STEPS_BAD_PATTERN: {
    what: "A validation pattern is not a regular expression.",
    why: "It cannot be compiled.",
    fix: "Correct the pattern; in double quotes every backslash is written twice.",
  },
  STEPS_HIGH_CONTEXT_STEP: {
    what: "A step under `on_high_context_usage` is not one that can be used there.",
    why: "Only a checkpoint, a message and an exit make sense when the context is nearly full.",
    fix: "Keep an `mcp_call` of `workflow.checkpoint`, a `user_message` and an `exit`.",
  },
};
