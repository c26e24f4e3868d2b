import { isList } from "../../../base/index.ts";
import { child, has, parseFile, type SourceFile } from "../../../source/index.ts";

const marks: readonly string[] = ["per_file_checklist", "file_patterns", "type"];

/**
 * Whether this is a checklist workflow, by its keys or by its name `*.workflow.yaml`, `.yml` or `.json`. A file with `steps`
 * or `machine` is never one; a file with syntax errors is judged by what could be read.
 */
export function recogniseChecklist(file: SourceFile): boolean {
  const { root } = parseFile(file);
  if (has(root, "steps") || has(root, "machine") || /\.machine\.(?:ya?ml|json)$/i.test(file.path)) return false;
  if (/\.workflow\.(?:ya?ml|json)$/i.test(file.path)) return true;
  return isList(child(root, "phases")?.value) && marks.some((key) => has(root, key));
}
