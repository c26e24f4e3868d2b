import { listedTexts, type SourceFile } from "../steps/source-node.ts";
import { readDocument } from "./read-document.ts";

/** Names of the workflows that this one calls on its files, each once. */
export function subWorkflowsOf(file: SourceFile): string[] {
  const names = listedTexts(readDocument(file).root, "sub_workflows").map((node) => node.value);
  return [...new Set(names)].filter((name) => name !== "");
}
