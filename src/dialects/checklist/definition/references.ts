import { listedTexts, parseFile, referenceTo, type SourceFile, type WorkflowReference } from "../../../source/index.ts";

/** What a called workflow is given when it declares it: what the caller was started with. */
export const passedOn = ["scope", "path", "options"] as const;

/** Workflows that a checklist calls on its files. What it was started with is given to those that declare it. */
export function subWorkflowsOf(file: SourceFile): WorkflowReference[] {
  return listedTexts(parseFile(file).root, "sub_workflows").flatMap((node) =>
    node.value === "" ? [] : [{ ...referenceTo(node, node.value, passedOn), ifDeclared: true }],
  );
}
