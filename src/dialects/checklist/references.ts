import { listedTexts, parseFile, referenceTo, type SourceFile, type WorkflowReference } from "../../source/index.ts";

/** Workflows that a checklist calls on its files. What it was started with is given to those that declare it. */
export function subWorkflowsOf(file: SourceFile): WorkflowReference[] {
  return listedTexts(parseFile(file).root, "sub_workflows").flatMap((node) => (node.value === "" ? [] : [referenceTo(node, node.value)]));
}
