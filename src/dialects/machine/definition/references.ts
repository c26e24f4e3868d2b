import {
  child,
  entriesOf,
  has,
  isText,
  parseFile,
  referenceTo,
  textAt,
  type SourceFile,
  type WorkflowReference,
} from "../../../source/index.ts";
import { isInside } from "./check/check-references.ts";
import { statesOf, stepsOf } from "./check/state-nodes.ts";

/** Workflows that steps of a machine run. */
export function calledByMachine(file: SourceFile): WorkflowReference[] {
  const { root } = parseFile(file);
  if (root === undefined) return [];
  return statesOf(root).flatMap((state) =>
    stepsOf(state).flatMap((step) => {
      const node = child(step, "workflow");
      if (!isText(node) || node.value === "") return [];
      const inputs = entriesOf(child(step, "inputs")).map(([name]) => name);
      return [referenceTo(node, node.value, inputs)];
    }),
  );
}

/** Files with instructions that a machine names, as written; those that lead elsewhere are left to the checks. */
export function instructionsOf(file: SourceFile): readonly string[] {
  const { root } = parseFile(file);
  const named = entriesOf(child(root, "roles")).flatMap(([, node]) => textAt(node, "instructions") ?? []);
  return [...new Set(named)].filter((reference) => reference !== "" && isInside(reference));
}

/** Whether this is a machine: by its name `*.machine.yaml`, or by its key `machine`. A file with `steps` is one by its name only. */
export function recogniseMachine(file: SourceFile): boolean {
  if (/\.machine\.(?:ya?ml|json)$/i.test(file.path)) return true;
  // Cheaper than reading the whole file, and most files are something else.
  if (!/^[\s{]*["']?machine["']?\s*:/m.test(file.text)) return false;
  const { root } = parseFile(file);
  return has(root, "machine") && !has(root, "steps");
}
