import type { WorkflowReference } from "./dialect.ts";
import { formatDocumentPath, type SourceNode } from "./source-node.ts";

/** A node that names a workflow. */
export function referenceTo(node: SourceNode, name: string, inputs?: readonly string[]): WorkflowReference {
  const place = node.file.placeOf(node.path, "value");
  return { name, place, path: formatDocumentPath(node.path), ...(inputs === undefined ? {} : { inputs }) };
}
