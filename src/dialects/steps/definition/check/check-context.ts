import { forbiddenKeys, isObject } from "../../../../base/index.ts";
import { textAt, child, entriesOf, membersOf, type Complain, type ExpressionChecker, type SourceNode } from "../../../../source/index.ts";
import { declaredNames } from "../declarations.ts";
import { includesOf, stepsOf, type Resolved, type Workflow } from "../resolve.ts";
import { hasHole } from "../template.ts";
import { everywhereNames, perTaskNames, slotsOf, stepTypes, type StepType } from "../vocabulary.ts";
import { pathKeys, writesOf } from "../step-nodes.ts";

/** What every check of one workflow looks at. */
export interface CheckContext {
  readonly workflow: Workflow;
  readonly resolved: Resolved;
  readonly complain: Complain;
  /** The same for what is not an error. */
  readonly warn: Complain;
  readonly checker: ExpressionChecker | undefined;
  readonly names: KnownNames;
}

export interface KnownNames {
  /** Names by tier: declared, or written by some step. */
  readonly raw: ReadonlySet<string>;
  readonly state: ReadonlySet<string>;
  readonly computed: ReadonlySet<string>;
  /** Every name an expression of the workflow may read. */
  readonly flat: ReadonlySet<string>;
  /** A write path whose first key is a template makes any name possible. */
  readonly open: boolean;
}

/** Names the workflow knows, with those of the workflows it includes: later steps may read them by bare name. */
export function knownNames(workflow: Workflow, resolved: Resolved): KnownNames {
  const declared = declaredNames(workflow);
  const open = addWritten(workflow, declared);
  const flat = new Set([...everywhereNames, ...declared.raw, ...declared.state, ...declared.computed]);
  for (const step of includesOf(workflow)) {
    const id = textAt(step, "id");
    if (id !== undefined && !hasHole(id)) flat.add(id);
    const callee = resolved.calleeOf(step);
    if (callee === undefined) continue;
    const inner = declaredNames(callee);
    addWritten(callee, inner);
    for (const name of [...inner.raw, ...inner.state, ...inner.computed]) flat.add(name);
  }
  return { ...declared, flat, open };
}

function addWritten(workflow: Workflow, into: { raw: Set<string>; state: Set<string> }): boolean {
  let open = false;
  const paths = stepsOf(workflow).flatMap((step) => [
    ...writesOf(step).map((write) => textAt(write.node, "path")),
    textAt(child(step, "on_sub_agent_error"), "error_state_path"),
  ]);
  for (const path of paths) {
    if (path === undefined || path === "") continue;
    const keys = pathKeys(path);
    const [tier, name] = keys ?? [];
    if (keys === undefined || (keys.length > 1 && name === undefined)) open = true;
    else if ((tier === "raw" || tier === "state") && name !== undefined && !/\s/.test(name) && !forbiddenKeys.has(name))
      into[tier].add(name);
  }
  return open;
}

/** Says that a key has no effect, and why; nothing when it is not there. */
export function warnWithoutEffect({ warn }: CheckContext, node: SourceNode | undefined, because: string, fix: string): void {
  if (node === undefined) return;
  warn(node, { code: "STEPS_WITHOUT_EFFECT", message: `\`${node.path.at(-1)}\` has no effect ${because}.`, fix, at: "key" });
}

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
export function walkSteps(workflow: Workflow, visit: (step: VisitedStep) => void): void {
  const { root, sections } = workflow;
  const main: Scene = { kind: "steps", loop: false, locals: [], perTask: undefined };
  walkList(child(root, "steps"), main, visit);
  walkList(child(child(root, "error_handling"), "on_failure"), { ...main, kind: "failure", locals: ["error"] }, visit);
  for (const task of sections.tasks.values()) {
    const own = [...perTaskNames, ...entriesOf(child(task, "inputs")).map(([name]) => name)];
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
    for (const { key, loop } of slotsOf(type)) walkList(child(step, key), sceneInside(step, type, scene, loop === true), visit);
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
