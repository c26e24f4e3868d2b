import {
  child,
  entriesOf,
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
