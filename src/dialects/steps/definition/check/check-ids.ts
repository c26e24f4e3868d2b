import { isObject } from "../../../../base/index.ts";
import { child, membersOf, textAt, type SourceNode } from "../../../../source/index.ts";
import { stepId, type Within } from "../step-nodes.ts";
import { slotsOf, stepTypes } from "../vocabulary.ts";
import type { CheckContext } from "./check-context.ts";

/** More steps than this cannot be meant; copies of tasks that start tasks grow without bound. */
const mostSteps = 20_000;

interface Naming {
  readonly context: CheckContext;
  readonly seen: Map<string, SourceNode>;
  readonly reported: Set<string>;
  steps: number;
}

/** Gives every step its id, tasks unfolded where they are used, and refuses ids that meet and tasks that start themselves. */
export function checkIds(context: CheckContext): void {
  const naming: Naming = { context, seen: new Map(), reported: new Set(), steps: 0 };
  const { root } = context.workflow;
  nameList(naming, child(root, "steps"), undefined, []);
  nameList(naming, child(child(root, "error_handling"), "on_failure"), { parent: "on_failure" }, []);
  if (naming.steps <= mostSteps) return;
  const message = `The workflow unfolds into more than ${mostSteps} steps, because tasks start other tasks.`;
  const fix = "Use fewer steps that start the same task, or move parts into included workflows.";
  context.complain(child(root, "steps") ?? root, { code: "STEPS_TOO_LARGE", message, fix, at: "key" });
}

function nameList(naming: Naming, list: SourceNode | undefined, within: Within | undefined, tasks: readonly string[]): void {
  membersOf(list).forEach((step, index) => {
    naming.steps++;
    const type = stepTypes.find((each) => each === textAt(step, "type"));
    if (type === undefined || !isObject(step.value) || naming.steps > mostSteps) return;
    const { id } = stepId(step, index, within);
    remember(naming, id, step);
    for (const { key } of slotsOf(type)) nameList(naming, child(step, key), { parent: id, slot: key }, tasks);
    if (type === "parallel_foreach") nameTask(naming, step, id, tasks);
  });
}

function nameTask(naming: Naming, step: SourceNode, id: string, tasks: readonly string[]): void {
  const node = child(step, "sub_agent_task");
  const name = textAt(step, "sub_agent_task");
  const task = name === undefined ? undefined : naming.context.workflow.sections.tasks.get(name);
  if (node === undefined || name === undefined || task === undefined) return;
  if (tasks.includes(name)) {
    const circle = [...tasks.slice(tasks.indexOf(name)), name].join(" → ");
    const message = `Sub-agent tasks start each other in a circle: ${circle}.`;
    naming.context.complain(node, { code: "STEPS_TASK_CYCLE", message, fix: "Remove one of these steps." });
    return;
  }
  nameList(naming, child(task, "steps"), { parent: id, slot: "steps" }, [...tasks, name]);
  nameList(naming, child(child(task, "error_handling"), "cleanup_on_error"), { parent: id, slot: "cleanup" }, [...tasks, name]);
}

function remember(naming: Naming, id: string, step: SourceNode): void {
  const other = naming.seen.get(id);
  const key = `${step.file.source.path}\0${JSON.stringify(step.path)}`;
  if (other === undefined) {
    naming.seen.set(id, step);
  } else if (!naming.reported.has(key)) {
    naming.reported.add(key);
    const place = other.file.placeOf(other.path, "value");
    const where = other.file === step.file ? `line ${place.line}` : `\`${place.file}\`, line ${place.line}`;
    const message = `Two steps have the id \`${id}\`; the other one is in ${where}.`;
    naming.context.complain(child(step, "id") ?? step, { code: "STEPS_DUPLICATE_ID", message, fix: "Rename one of them." });
  }
}
