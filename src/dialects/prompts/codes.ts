import type { Catalogue } from "../../base/index.ts";

/** Every code that this dialect gives, in definitions and in runs. Permanent: a code is never renamed and never reused. */
export const promptsCodes: Catalogue = {
  PROMPTS_SYNTAX: {
    what: "A file is not readable YAML.",
    why: "Its text breaks the rules of YAML, or uses a form that cannot be kept as data.",
    fix: "Correct the text at the place shown.",
  },
  PROMPTS_DUPLICATE_KEY: {
    what: "A key occurs twice in one map.",
    why: "Only one of the two values could count.",
    fix: "Remove one of them.",
  },
  PROMPTS_NOT_A_MAP: {
    what: "A file is not a map of keys.",
    why: "It is empty, or holds a list or a text.",
    fix: "Begin the file with `name:`, `description:` and `steps:`.",
  },
  PROMPTS_UNKNOWN_KEY: {
    what: "A key is unknown.",
    why: "It is misspelt, or belongs elsewhere. A near miss of a key that decides what runs is an error, any other one a warning.",
    fix: "Correct the name, or remove the key.",
  },
  PROMPTS_UNUSED_KEY: {
    what: "A file has keys that other tools use and Waymark does not.",
    why: "They are accepted, so that one file serves several tools.",
    fix: "Nothing needs to be done.",
  },
  PROMPTS_DROPPED_KEY: {
    what: "A file has keys of other tools that hold an agent back or give it something, and Waymark does not use them.",
    why: "They are accepted, so that one file serves several tools, but an agent may do what they were to prevent, or lacks what they were to give it.",
    fix: "Read what the message says that it means, and say it in the way that the fix names.",
  },
  PROMPTS_SIZE: {
    what: "A file says `small`, `medium`, `large` or a name with `@` where a model is named.",
    why: "Such a name is another model with each agent: the one that the agent's entry in the configuration has for it.",
    fix: "Add `models: { small: <model> }` to the agent's entry below `agents`, or leave it: then the agent's usual model is used.",
  },
  PROMPTS_MISSING_KEY: {
    what: "A key is missing.",
    why: "The workflow or step cannot do without it.",
    fix: "Add the key that the message names.",
  },
  PROMPTS_WRONG_TYPE: {
    what: "A value has the wrong type.",
    why: "Texts, numbers and flags are not converted.",
    fix: "Write the value as the message says.",
  },
  PROMPTS_BAD_VALUE: {
    what: "A value is not possible here.",
    why: "It is empty, out of range, or not one of the known words.",
    fix: "Use a value that the message names.",
  },
  PROMPTS_ONE_FORM: {
    what: "Keys do not go together.",
    why: "A workflow is a list of steps, a loop or a graph, and a step or a node is one thing.",
    fix: "Remove one of the keys, or make two steps of one.",
  },
  PROMPTS_NOT_A_GRAPH: {
    what: "A workflow that is included is not a graph.",
    why: "`include` puts the nodes of another graph into this one; a workflow of another kind has none.",
    fix: "Run it for itself, with `workflow`.",
  },
  PROMPTS_BAD_NAME: {
    what: "A name cannot be used.",
    why: "It holds a space, a separator, `..` or begins with a dot, and could mean another file.",
    fix: "Use letters, digits, `-`, `_` and `.`.",
  },
  PROMPTS_UNKNOWN_PROVIDER: {
    what: "A provider is not an agent that Waymark knows.",
    why: "A near miss of a known name is an error. Any other name may be one that is configured, so it is a warning.",
    fix: "Correct the name, or configure the agent.",
  },
  PROMPTS_NO_PROMPT: {
    what: "The prompt of a step is not found.",
    why: "No folder for steps that is searched has a file of this name.",
    fix: "Create the file in `steps/` beside the folder of the workflow, or correct the name.",
  },
  PROMPTS_EMPTY_PROMPT: {
    what: "The prompt of a step is empty.",
    why: "An agent would be asked for nothing.",
    fix: "Write what the agent has to do.",
  },
  PROMPTS_GRAPH: {
    what: "A workflow is a graph of `nodes`.",
    why: "Versions before graphs could be run give this code.",
    fix: "Use a newer version.",
  },
  PROMPTS_DUPLICATE_NODE: {
    what: "Two nodes have the same id.",
    why: "A dependency or a reference could mean either of them.",
    fix: "Rename one of them, and the references to it.",
  },
  PROMPTS_UNKNOWN_NODE: {
    what: "A dependency or a reference names no node.",
    why: "The id is mistyped, or its node was removed or is in another file.",
    fix: "Correct the id, or add the node.",
  },
  PROMPTS_NODE_CYCLE: {
    what: "Nodes wait for each other in a circle.",
    why: "None of them could ever begin.",
    fix: "Remove one of them from the `depends_on` of another.",
  },
  PROMPTS_NOT_BEFORE: {
    what: "A node refers to one that need not have run before it.",
    why: "Only nodes that it waits for, directly or through others, are sure to be settled.",
    fix: "Add the node to `depends_on`, or remove the reference.",
  },
  PROMPTS_NO_FIELD: {
    what: "A field is not part of an output.",
    why: "`output_format` does not have it, or the output is a list or empty.",
    fix: "Correct the name, or add the field to `output_format`.",
  },
  PROMPTS_BAD_CONDITION: {
    what: "A condition cannot be read.",
    why: "It is not a comparison of a reference with a value, or comparisons are not joined by `&&` and `||`.",
    fix: "Write it as the message shows.",
  },
  PROMPTS_QUOTED_REF: {
    what: "A reference to an output is inside quotes of a shell command, or in a here-document that may be run as a program.",
    why: "Waymark puts the value in as it is, but Archon adds quotes to it. Into a here-document that may be run no value is put.",
    fix: "Write the reference bare, such as `value=$id.output`, and use the variable.",
  },
  PROMPTS_LEFT_TEXT: {
    what: "Something in a text looks like a reference and is not one, or not all of it is.",
    why: "References are `$id.output`, `$id.output.field` and the variables, without braces. Bash leaves what is in single quotes as it is.",
    fix: "Write it as the message says.",
  },
  PROMPTS_NEVER_EQUAL: {
    what: "A `when` compares with a value that the field never has.",
    why: "The node declares all values that it can have: an `enum`, true and false, or the `decisions` of an approval.",
    fix: "Compare with one of them, or declare the value.",
  },
  PROMPTS_CALCULATED: {
    what: "Bash would calculate with a text of a user or an agent.",
    why: "In `(( ))`, `[[ ]]` with `-eq` and its kind, `let`, `declare -i`, indices and the like a value is an expression, and an index in it can run commands.",
    fix: 'Make it a number first, such as `number=$(printf %d "$ARGUMENTS")`, or compare it with `[ "$ARGUMENTS" -gt 3 ]`.',
  },
  PROMPTS_NO_SCRIPT: {
    what: "A script is not found.",
    why: "No folder for scripts that is searched has a file of this name for its runtime.",
    fix: "Create the file in `scripts/` beside the folder of the workflow, or correct the name.",
  },
  PROMPTS_UNKNOWN_INPUT: {
    what: "A text names an input that the workflow does not declare.",
    why: "A workflow with `inputs` declares all that it uses.",
    fix: "Declare it under `inputs`, or correct the name.",
  },
  PROMPTS_NOT_SUPPORTED: {
    what: "A file asks for something that Waymark does not do.",
    why: "To leave it out would change what the workflow does.",
    fix: "Write it as the message says.",
  },
  PROMPTS_UNKNOWN_WORKFLOW: {
    what: "A step runs a workflow that does not exist.",
    why: "The name is mistyped, or its file is in a folder that is not searched.",
    fix: "Correct the name, create the workflow, or remove the step.",
  },
  PROMPTS_FOLDER: {
    what: "The folder for artifacts of a run cannot be made.",
    why: "Something that is not a folder is in its place, or a link leads out of the workspace.",
    fix: "Make room at the path that the message names, then retry the run.",
  },
  PROMPTS_STATE_FIXED: {
    what: "Agents cannot write the state of a chain of prompts.",
    why: "It holds where artifacts go and whether a loop is done, which Waymark finds out itself.",
    fix: "Report the step instead.",
  },
  PROMPTS_ITEMS: {
    what: "The items of a `fan_out` are not a list.",
    why: "What `items` refers to did not give a JSON list.",
    fix: "Let the node before it print a JSON list, then retry the run.",
  },
  PROMPTS_NO_BRANCH: {
    what: "A graph names `$BASE_BRANCH`, and there is none.",
    why: "Git knows neither a default branch of a remote nor a branch `main` or `master` here.",
    fix: "Make one, or run the workflow in a clone.",
  },
  PROMPTS_NO_PROGRAM: {
    what: "A program that a graph needs is not installed.",
    why: "Nodes with `bash` are run by `bash`, scripts by `uv`, or by `bun` or Node. TypeScript needs `bun`, or Node 22.6 or newer.",
    fix: "Install the program that the message names, then start the workflow again.",
  },
  PROMPTS_NODE_INSTEAD: {
    what: "Scripts for `bun` are run by Node.",
    why: "`bun` is not installed. Scripts that use what only `bun` has fail.",
    fix: "Install `bun`, or write scripts that both can run.",
  },
  PROMPTS_SCRIPT: {
    what: "A script cannot be run.",
    why: "Something that it names has no value, or is named where no value can be put safely; or its file is not what it was when the run began.",
    fix: "Correct or restore the script as the message says.",
  },
  PROMPTS_NEEDS_WORKTREE: {
    what: "A graph asks for worktrees, and the run would have none itself.",
    why: "What is done in worktrees of calls (`isolation: worktree`) is brought together by commits, and none are made in your own folder.",
    fix: "Start the workflow with `waymark run --worktree`.",
  },
  PROMPTS_NOT_AWAITED: {
    what: "A workflow is called in a worktree, and steps of it are not waited for.",
    why: "The worktree is removed when the call is over, and such steps may still work in it then.",
    fix: "Wait for these steps in that workflow, or write `isolation: inherit`.",
  },
  PROMPTS_GIT_FAILED: {
    what: "A call cannot be given a worktree, or what it changed cannot be brought in.",
    why: "The worktree of the run is damaged, something else works in it with git, or git is not installed.",
    fix: "Look at the folder of the run with git, then retry the run.",
  },
  PROMPTS_CONFLICT: {
    what: "What a call changed conflicts with what was brought in before it.",
    why: "Both changed the same lines, and the agent that was asked to resolve it did not.",
    fix: "Take what you need from the branch that the message names, or retry the run.",
  },
};
