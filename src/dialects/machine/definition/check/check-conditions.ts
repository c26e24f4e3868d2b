import type { Expr } from "../../../../program/index.ts";
import {
  child,
  didYouMean,
  entriesOf,
  has,
  isText,
  membersOf,
  taskExpressions,
  textAt,
  textLeaves,
  type Complain,
  type ExpressionChecker,
  type SourceNode,
  type TextNode,
} from "../../../../source/index.ts";
import { machineNames } from "../lower.ts";
import { limitName } from "../read/read-states.ts";
import { addedInputs, engineNames } from "../vocabulary.ts";
import { statesOf, stepsOf, type StateNode } from "./state-nodes.ts";

/** Names of the language that conditions may use. */
const languageNames = new Set(
  "undefined NaN Infinity JSON Math Object Array String Number Boolean RegExp Date Set Map parseInt parseFloat isNaN".split(" "),
);

interface Judging {
  readonly complain: Complain;
  readonly checker?: ExpressionChecker;
  readonly names: ReadonlySet<string>;
  readonly inputs: ReadonlySet<string>;
}

/** Every condition can be read, and reads only what there is. */
export function checkConditions(root: SourceNode, complain: Complain, checker?: ExpressionChecker): void {
  const states = statesOf(root);
  const into = states.flatMap(stepsOf).flatMap((step) => textAt(step, "into") ?? []);
  const judging: Judging = {
    complain,
    ...(checker === undefined ? {} : { checker }),
    names: new Set<string>([...machineNames, ...engineNames, ...into]),
    inputs: new Set([...Object.keys(addedInputs([], "")), ...entriesOf(child(root, "inputs")).map(([name]) => name)]),
  };
  for (const state of states) checkState(judging, state);
  const atEnd = { ...judging, names: new Set([...judging.names].filter((name) => name !== "most_files")) };
  for (const rule of membersOf(child(child(root, "done"), "rules"))) judge(atEnd, child(rule, "when"), "condition");
  checkLimits(root, states, complain);
}

/** A limit that no condition reads would only look as if it had an effect. */
function checkLimits(root: SourceNode, states: readonly StateNode[], complain: Complain): void {
  const conditions = states.flatMap((state) =>
    [...stepsOf(state), ...membersOf(child(state.node, "on"))].flatMap((each) => textAt(each, "when") ?? []),
  );
  if (conditions.some((when) => when.search(limitName) >= 0)) return;
  for (const [name, mode] of entriesOf(child(root, "modes"))) {
    const limit = child(mode, "most_files");
    if (limit !== undefined)
      complain(limit, {
        code: "MACHINE_LIMIT_UNUSED",
        message: `\`most_files\` of the mode \`${name}\` has no effect: no condition reads it.`,
        fix: "Add a condition such as `changed_files > most_files`, or remove it.",
        at: "key",
      });
  }
}

function checkState(judging: Judging, state: StateNode): void {
  const here = state.tasks ? { ...judging, names: new Set([...judging.names, "task"]) } : judging;
  judge(judging, child(child(state.node, "ahead"), "most"), "condition");
  for (const step of stepsOf(state)) {
    judge(here, child(step, "when"), "condition");
    judge(here, child(step, "goal"), "text");
    if (textAt(step, "ask") !== undefined) judge(here, child(step, "question"), "text");
    if (has(step, "task")) checkTask(here, step);
    if (has(step, "workflow")) for (const leaf of textLeaves(child(step, "inputs"))) judge(here, leaf, "text");
    // A recommendation reads all tasks of the plan, and nothing else.
    judge({ ...judging, names: new Set(["tasks"]) }, child(step, "recommend"), "js");
  }
  for (const outcome of membersOf(child(state.node, "on"))) judge(here, child(outcome, "when"), "condition");
  judge(here, child(child(state.node, "repair"), "goal"), "text");
}

/** What a task is given may name the folder of the session too. */
function checkTask(here: Judging, step: SourceNode): void {
  const judging = { ...here, names: new Set([...here.names, "session"]) };
  for (const key of Object.keys(taskExpressions)) for (const leaf of textLeaves(child(step, key))) judge(judging, leaf, "text");
}

function judge(judging: Judging, node: SourceNode | undefined, as: Expr["as"] & ("condition" | "text" | "js")): void {
  if (!isText(node) || node.value.trim() === "") return;
  const { checker, complain } = judging;
  const problems = checker?.check({ as, of: node.value }) ?? [];
  for (const { message, offset } of problems)
    complain(node, {
      code: "MACHINE_CONDITION",
      message: `The ${as === "text" ? "template" : "condition"} cannot be read: ${message}${/[.!?]$/.test(message) ? "" : "."}`,
      fix: "Correct it at the place shown; it is JavaScript.",
      at: { offset },
    });
  if (problems.length > 0) return;
  for (const name of new Set(checker?.names({ as, of: node.value })))
    if (!judging.names.has(name) && !languageNames.has(name)) unknown(judging, node, name);
  for (const [whole, name = ""] of node.value.matchAll(/(?<![\w$.])inputs\??\.([A-Za-z_$][\w$]*)/g))
    if ((as !== "text" || node.value.includes("{{")) && !judging.inputs.has(name)) unknown(judging, node, whole);
}

/** `inputs.x` is an input that is not declared; anything else a name that nothing has. */
function unknown({ complain, names, inputs }: Judging, node: TextNode, whole: string): void {
  const found = new RegExp(`(?<![\\w$.])${whole.replace(/[$.?]/g, "\\$&")}(?![\\w$])`).exec(node.value);
  const [, input] = /^inputs\??\.(.+)$/.exec(whole) ?? [];
  const message = input === undefined ? `Nothing is called \`${whole}\` here.` : `There is no input \`${input}\`.`;
  const otherwise =
    input === undefined ? "Use a name that the machine has, such as `output`, or `inputs.<name>`." : "Declare it under `inputs`.";
  complain(node, {
    code: "MACHINE_UNKNOWN_NAME",
    message,
    fix: didYouMean(input ?? whole, input === undefined ? names : inputs) ?? otherwise,
    at: { offset: found?.index ?? 0, length: whole.length },
  });
}
