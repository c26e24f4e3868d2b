import { isObject } from "../../../../base/index.ts";
import type { Workflow } from "../resolve.ts";
import { child, entriesOf, membersOf, textAt, type SourceNode } from "../../../../source/index.ts";
import { stepSlots, stepTypes, type StepType } from "../vocabulary.ts";

/** Where a step is, as far as checks care. */
export interface Scene {
  readonly kind: "steps" | "task" | "cleanup" | "failure";
  /** Inside a loop of the same strand. */
  readonly loop: boolean;
  /** Names in scope beside those of the workflow; undefined when the fields of an item are in scope, which are not known. */
  readonly locals: readonly string[] | undefined;
  /** Names that differ between the strands of a parallel step; undefined outside of one. */
  readonly perTask: readonly string[] | undefined;
}

export interface VisitedStep {
  readonly step: SourceNode;
  readonly type: StepType;
  readonly scene: Scene;
  readonly index: number;
  readonly siblings: readonly SourceNode[];
}

/** Visits every step of known type in the workflow, its tasks (imported ones too) and its error steps, outer steps first. */
export function walkSteps(workflow: Workflow, perTask: readonly string[], visit: (step: VisitedStep) => void): void {
  const { root, sections } = workflow;
  const main: Scene = { kind: "steps", loop: false, locals: [], perTask: undefined };
  walkList(child(root, "steps"), main, visit);
  walkList(child(child(root, "error_handling"), "on_failure"), { ...main, kind: "failure", locals: ["error"] }, visit);
  for (const task of sections.tasks.values()) {
    const own = [...perTask, ...entriesOf(child(task, "inputs")).map(([name]) => name)];
    const scene: Scene = { kind: "task", loop: false, locals: undefined, perTask: own };
    walkList(child(task, "steps"), scene, visit);
    walkList(child(child(task, "error_handling"), "cleanup_on_error"), { ...scene, kind: "cleanup" }, visit);
  }
}

function walkList(list: SourceNode | undefined, scene: Scene, visit: (step: VisitedStep) => void): void {
  const siblings = membersOf(list);
  siblings.forEach((step, index) => {
    const type = stepTypes.find((each) => each === textAt(step, "type"));
    if (type === undefined || !isObject(step.value)) return;
    visit({ step, type, scene, index, siblings });
    for (const { key, loop } of stepSlots[type]) walkList(child(step, key), sceneInside(step, type, scene, loop === true), visit);
  });
}

function sceneInside(step: SourceNode, type: StepType, scene: Scene, loop: boolean): Scene {
  if (type === "include_workflow") return { ...scene, loop: false };
  if (!loop) return scene;
  const names = type === "while" ? ["iteration"] : [textAt(step, "variable_name") ?? "item", "item", "index", "iteration", "total"];
  return {
    ...scene,
    loop: true,
    locals: scene.locals === undefined ? undefined : [...scene.locals, ...names],
    perTask:
      scene.perTask === undefined ? undefined : [...scene.perTask, ...names.filter((name) => name !== "iteration" && name !== "total")],
  };
}
