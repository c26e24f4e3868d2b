import { isObject } from "../../../../base/index.ts";
import {
  checkFreshRole,
  checkReturns,
  child,
  entriesOf,
  has,
  isText,
  membersOf,
  quoteList,
  textAt,
  type Complain,
  type SourceNode,
} from "../../../../source/index.ts";
import { sessionFiles } from "../formats/session-vocabulary.ts";
import { artifactForms } from "../machine-definition.ts";
import { initial } from "../lower.ts";
import { addedInputs, endWord, engineNames, plainWord, shownOnly } from "../vocabulary.ts";
import { checkPath } from "./check-references.ts";
import { statesOf, stepsOf, type StateNode } from "./state-nodes.ts";

/** Rules of single states, names and paths, beyond what the shape says. */
export function checkStates(root: SourceNode, complain: Complain): void {
  checkNames(root, complain);
  const takes = statesOf(root).some((state) => stepsOf(state).some((step) => has(step, "take_tasks")));
  for (const state of statesOf(root)) {
    checkForm(state, complain);
    if (!takes && has(state.node, "each"))
      complain(child(state.node, "each") ?? state.node, {
        code: "MACHINE_NO_TASKS",
        message: `\`${state.name}\` runs for each task, but no state takes tasks over.`,
        fix: "Add the step `take_tasks` to a state before it.",
      });
    if (has(state.node, "ahead") && !has(state.node, "each"))
      complain(child(state.node, "ahead") ?? state.node, {
        code: "MACHINE_NO_TASKS",
        message: `\`${state.name}\` works ahead on tasks, but does not run for each task.`,
        fix: "Add `each: tasks`, or remove `ahead`.",
        at: "key",
      });
    for (const step of stepsOf(state)) checkStep(state, step, root, complain);
  }
  checkDone(root, takes, complain);
}

function checkNames(root: SourceNode, complain: Complain): void {
  const name = child(root, "machine");
  if (isText(name) && name.value !== "" && !/^[A-Za-z][\w:-]*$/.test(name.value)) badName(name, name.value, "value", complain);
  for (const key of ["roles", "artifacts", "modes", "inputs"])
    for (const [each, node] of entriesOf(child(root, key))) if (!isName(each)) badName(node, each, "key", complain);
  for (const { name: each, node } of statesOf(root)) {
    if (!isName(each)) badName(node, each, "key", complain);
    if (each === endWord || shownOnly.some((word) => word === each)) reserved(node, each, "a state", complain);
  }
  for (const [each, node] of entriesOf(child(root, "artifacts"))) checkArtifact(each, node, complain);
  const added = addedInputs([], "");
  for (const [each, node] of entriesOf(child(root, "inputs"))) if (Object.hasOwn(added, each)) reserved(node, each, "an input", complain);
  const sessions = child(root, "sessions");
  if (sessions !== undefined) checkPath(sessions, complain);
}

/** A built-in form belongs to one file, under its own name. */
function checkArtifact(name: string, node: SourceNode, complain: Complain): void {
  const path = isText(node) ? node : child(node, "path");
  const form = artifactForms.find((each) => each === textAt(node, "form"));
  if (path !== undefined) checkPath(path, complain);
  if (form === undefined && path === undefined && isObject(node.value))
    complain(node, {
      code: "MACHINE_MISSING_KEY",
      message: `The artifact \`${name}\` needs \`path\`.`,
      fix: "Add `path:`, or a `form`.",
      at: "key",
    });
  if (form === undefined) return;
  const wrong = (at: SourceNode, message: string, fix: string): void => complain(at, { code: "MACHINE_WRONG_FORM", message, fix });
  if (form !== name) wrong(child(node, "form") ?? node, `The form \`${form}\` is for an artifact of that name.`, `Call it \`${form}\`.`);
  if (isText(path) && path.value !== sessionFiles[form])
    wrong(path, `An artifact of the form \`${form}\` is always \`${sessionFiles[form]}\`.`, "Remove `path`.");
  if (has(node, "sections"))
    wrong(child(node, "sections") ?? node, `The form \`${form}\` has its own sections.`, "Remove `sections`, or `form`.");
}

function isName(name: string): boolean {
  return /^[A-Za-z][\w-]*$/.test(name);
}

function badName(node: SourceNode, name: string, at: "key" | "value", complain: Complain): void {
  complain(node, {
    code: "MACHINE_BAD_NAME",
    message: `\`${name}\` cannot be a name.`,
    fix: "Begin with a letter and use letters, digits, `_` and `-`.",
    at,
  });
}

function reserved(node: SourceNode, name: string, what: string, complain: Complain): void {
  const fix = what === "an input" ? "Every machine has it already; remove it." : "Choose another name.";
  complain(node, { code: "MACHINE_RESERVED_NAME", message: `\`${name}\` cannot be the name of ${what}.`, fix, at: "key" });
}

/** A state does steps, holds a machine, or repairs. */
function checkForm({ name, node }: StateNode, complain: Complain): void {
  if (!isObject(node.value)) return;
  const wrong = (at: SourceNode, message: string, fix: string): void =>
    complain(at, { code: "MACHINE_STATE_FORM", message, fix, at: "key" });
  const repair = child(node, "repair");
  if (repair !== undefined) {
    const extra = ["do", "on", "next", "each", "start", "states"].filter((key) => has(node, key));
    if (extra.length > 0)
      wrong(repair, `\`${name}\` is a repair loop and has ${quoteList(extra, "and")} too.`, `Remove ${quoteList(extra, "and")}.`);
    return;
  }
  const inner = has(node, "states");
  if (inner !== has(node, "start"))
    wrong(
      child(node, inner ? "states" : "start") ?? node,
      inner ? `The machine inside \`${name}\` does not say where it begins.` : `\`${name}\` has \`start\` but no machine inside.`,
      inner ? "Add `start:` beside `states:`." : "Add `states:`, or remove `start`.",
    );
  if (!inner && has(node, "each"))
    wrong(child(node, "each") ?? node, `\`${name}\` has nothing to do for each task.`, "Add `start:` and `states:`.");
  if (has(node, "next")) return;
  complain(node, {
    code: "MACHINE_DEAD_END",
    message: has(node, "on") ? `When no condition of \`${name}\` holds, nothing follows.` : `\`${name}\` cannot be left.`,
    fix: `Add \`next:\` with the state that follows, or \`next: ${endWord}\`.`,
    at: "key",
  });
}

function checkStep(state: StateNode, step: SourceNode, root: SourceNode, complain: Complain): void {
  const id = textAt(step, "gate");
  if (id !== undefined) checkGate(state, step, id, complain);
  if (has(step, "task")) checkTask(step, root, complain);
  for (const word of ["checks", "promote"])
    if (textAt(step, word) === "task" && !state.tasks)
      complain(child(step, word) ?? step, {
        code: "MACHINE_NO_TASK",
        message: `There is no current task in \`${state.name}\`.`,
        fix: "Use `all`, or put the state into one with `each: tasks`.",
      });
  const from = textAt(step, "take_tasks");
  const artifact = from === undefined ? undefined : child(child(root, "artifacts"), from);
  if (artifact !== undefined && textAt(artifact, "form") !== "tasks")
    complain(child(step, "take_tasks") ?? step, {
      code: "MACHINE_WRONG_FORM",
      message: `\`${from ?? ""}\` has no tasks: its form is not \`tasks\`.`,
      fix: "Give the artifact `form: tasks`, or name another one.",
    });
}

/** What an agent brings never takes the place of what the machine or a person wrote. */
function checkTask(step: SourceNode, root: SourceNode, complain: Complain): void {
  const name = child(step, "task");
  if (isText(name) && name.value !== "" && !isName(name.value)) badName(name, name.value, "value", complain);
  checkReturns(step, "MACHINE_BAD_VALUE", complain);
  checkFreshRole(step, "MACHINE_BAD_VALUE", complain);
  const into = child(step, "into");
  if (!isText(into) || into.value === "") return;
  const others = statesOf(root).flatMap(stepsOf);
  const answered = others.some((other) => !has(other, "task") && textAt(other, "into") === into.value);
  const named = `\`${into.value}\``;
  const code = "MACHINE_RESERVED_NAME";
  const fix = "Choose another name.";
  if (!/^[A-Za-z_]\w*$/.test(into.value))
    complain(into, { code: "MACHINE_BAD_NAME", message: `${named} cannot be read in a condition.`, fix: "Use letters, digits and `_`." });
  else if (answered) complain(into, { code, message: `${named} is what a person answers, and a task would overwrite it.`, fix });
  else if (takenNames.has(into.value)) complain(into, { code, message: `${named} is a name of the machine itself.`, fix });
}

const takenNames: ReadonlySet<string> = new Set([...Object.keys(initial), ...engineNames, "task", "tasks"]);

function checkGate({ name, around }: StateNode, step: SourceNode, id: string, complain: Complain): void {
  const node = child(step, "gate") ?? step;
  const choices = entriesOf(child(step, "choices")).map(([choice]) => choice);
  const passes = has(step, "passes");
  if (passes === choices.length > 0)
    complain(node, {
      code: "MACHINE_GATE_OPEN",
      message: passes ? `The gate \`${id}\` has both \`passes\` and \`choices\`.` : `No answer passes the gate \`${id}\`.`,
      fix: passes ? "Keep one of them." : "Add `passes:` with a word, or `choices:` with the answers that pass.",
    });
  if (around !== undefined)
    complain(node, {
      code: "MACHINE_GATE_INSIDE",
      message: `The gate \`${id}\` is in \`${name}\`, which may be entered many times, but a gate has one answer.`,
      fix: "Move it to a state of the outermost machine, or use `ask`.",
    });
  const reasks = child(step, "reasks");
  if (reasks !== undefined)
    complain(reasks, {
      code: "MACHINE_NO_EFFECT",
      severity: "warning",
      message: `\`reasks\` of the gate \`${id}\` has no effect: a wrong answer never closes a gate.`,
      fix: "Remove it.",
      at: "key",
    });
  for (const key of ["recommend", "into", "also"])
    if (has(step, key) && choices.length === 0)
      complain(child(step, key) ?? step, {
        code: "MACHINE_STEP_FORM",
        message: `\`${key}\` of the gate \`${id}\` has no effect without \`choices\`.`,
        fix: "Add `choices`, or remove it.",
        at: "key",
      });
  if (choices.length > 0) checkWords(step, choices, complain);
}

/** Every word of an answer means one choice. */
function checkWords(step: SourceNode, choices: readonly string[], complain: Complain): void {
  const known = new Map<string, string>();
  const take = (node: SourceNode, choice: string, word: string): void => {
    const plain = plainWord(word);
    const other = known.get(plain);
    if (plain !== "" && other === undefined) known.set(plain, choice);
    else
      complain(node, {
        code: "MACHINE_GATE_WORD",
        message:
          other === undefined
            ? `\`${word}\` holds nothing that could be read as an answer.`
            : `\`${word}\` already means the choice \`${other}\`. Case, spaces, hyphens and full stops make no difference.`,
        fix: "Use another word, or remove it.",
      });
  };
  for (const [choice, node] of entriesOf(child(step, "choices"))) take(node, choice, choice);
  for (const [choice, node] of entriesOf(child(step, "also"))) {
    if (!choices.includes(choice))
      complain(node, {
        code: "MACHINE_GATE_WORD",
        message: `\`also\` has words for \`${choice}\`, which is not a choice of this gate.`,
        fix: `Name one of ${choices.map((each) => `\`${each}\``).join(", ")}.`,
        at: "key",
      });
    else for (const word of membersOf(node)) if (typeof word.value === "string") take(word, choice, word.value);
  }
}

/** What the definition of done asks for can come to be. */
function checkDone(root: SourceNode, takes: boolean, complain: Complain): void {
  const done = child(root, "done");
  const forms = entriesOf(child(root, "artifacts")).map(([, node]) => textAt(node, "form"));
  const needs: readonly [string, boolean, string][] = [
    ["tasks", takes, "no state takes tasks over"],
    ["criteria", forms.includes("acceptance"), "no artifact has the form `acceptance`"],
    ["report", forms.includes("report"), "no artifact has the form `report`"],
  ];
  for (const [key, met, why] of needs) {
    const node = child(done, key);
    if (node?.value !== true || met) continue;
    const message = `\`done.${key}\` can never hold, since ${why}.`;
    const fix = `${key === "tasks" ? "Add the step `take_tasks`" : "Add one"}, or remove \`${key}\`.`;
    complain(node, { code: "MACHINE_DONE_UNMEETABLE", message, fix, at: "key" });
  }
}
