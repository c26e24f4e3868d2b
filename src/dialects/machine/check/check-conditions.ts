import type { Expr } from "../../../program/index.ts";
import { didYouMean, type Complain } from "../../steps/complaint.ts";
import type { ExpressionChecker } from "../../steps/expression-checker.ts";
import { child, entriesOf, isText, membersOf, textAt, type SourceNode, type TextNode } from "../../steps/source-node.ts";
import { machineNames } from "../lower.ts";
import { addedInputs, engineNames, recommendNames } from "../vocabulary.ts";
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
  const judging: Judging = {
    complain,
    ...(checker === undefined ? {} : { checker }),
    names: new Set<string>([...machineNames, ...engineNames, ...states.flatMap(answersInto)]),
    inputs: new Set([...Object.keys(addedInputs([], "")), ...entriesOf(child(root, "inputs")).map(([name]) => name)]),
  };
  for (const state of states) checkState(judging, state);
  for (const rule of membersOf(child(child(root, "done"), "rules"))) judge(judging, child(rule, "when"), "condition");
}

/** Names that gates and questions of a state write their answers under. */
function answersInto(state: StateNode): string[] {
  return stepsOf(state).flatMap((step) => textAt(step, "into") ?? []);
}

function checkState(judging: Judging, state: StateNode): void {
  const here = state.tasks ? { ...judging, names: new Set([...judging.names, "task"]) } : judging;
  for (const step of stepsOf(state)) {
    judge(here, child(step, "when"), "condition");
    judge(here, child(step, "goal"), "text");
    if (textAt(step, "ask") !== undefined) judge(here, child(step, "question"), "text");
    judge({ ...judging, names: new Set(recommendNames) }, child(step, "recommend"), "js");
  }
  for (const outcome of membersOf(child(state.node, "on"))) judge(here, child(outcome, "when"), "condition");
  judge(here, child(child(state.node, "repair"), "goal"), "text");
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
    if (!judging.names.has(name) && !languageNames.has(name)) unknown(judging, node, name, judging.names);
  for (const [whole, name = ""] of node.value.matchAll(/(?<![\w$.])inputs\??\.([A-Za-z_$][\w$]*)/g))
    if ((as !== "text" || node.value.includes("{{")) && !judging.inputs.has(name)) unknown(judging, node, name, judging.inputs, whole);
}

function unknown({ complain }: Judging, node: TextNode, name: string, known: ReadonlySet<string>, whole: string = name): void {
  const found = new RegExp(`(?<![\\w$.])${whole.replace(/[$.?]/g, "\\$&")}(?![\\w$])`).exec(node.value);
  const input = whole !== name;
  complain(node, {
    code: "MACHINE_UNKNOWN_NAME",
    message: input ? `There is no input \`${name}\`.` : `Nothing is called \`${name}\` here.`,
    fix:
      didYouMean(name, known) ?? (input ? "Declare it under `inputs`." : "Use the names that docs/machines.md lists, or `inputs.<name>`."),
    at: { offset: found?.index ?? 0, length: whole.length },
  });
}
