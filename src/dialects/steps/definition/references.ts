import {
  child,
  isText,
  listedTexts,
  parseFile,
  referenceTo,
  textAt,
  type SourceFile,
  type WorkflowReference,
} from "../../../source/index.ts";
import { allSteps } from "./generation.ts";
import { hasHole } from "./template.ts";

/** References under `imports`, as written, each once. Paths are relative to the file, then to the workflows folder. */
export function importsOf(file: SourceFile): string[] {
  const { root } = parseFile(file);
  return [...new Set(listedTexts(root, "imports").map((node) => node.value))];
}

/** Workflows that steps of the file include, wherever they are in it. */
export function callsOf(file: SourceFile): WorkflowReference[] {
  const { root } = parseFile(file);
  if (root === undefined) return [];
  return allSteps(root)
    .filter((step) => textAt(step, "type") === "include_workflow")
    .map((step) => child(step, "workflow"))
    .flatMap((node) => (isText(node) && node.value !== "" && !hasHole(node.value) ? [referenceTo(node, node.value)] : []));
}
