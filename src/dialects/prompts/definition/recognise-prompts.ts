import { child, has, isText, membersOf, parseFile, type SourceFile } from "../../../source/index.ts";
import { promptFolders, stepWords } from "./vocabulary.ts";

/**
 * Whether a file is a chain of prompts: by a step that names a prompt or another workflow, by a loop over a prompt, or by a graph. In
 * folders that hold nothing else every file is one whose steps have no type.
 */
export function recognisePrompts(file: SourceFile): boolean {
  const own = promptFolders.some((folder) => `/${file.path}`.includes(`/${folder}/`));
  if (!own && !/\b(?:step|command|parallel|workflow|loop|nodes)["']?\s*:/.test(file.text)) return false;
  const { root } = parseFile(file);
  const steps = membersOf(child(root, "steps"));
  if (steps.some((step) => has(step, "type"))) return false;
  if (own) return true;
  if (has(root, "nodes") || (has(root, "loop") && has(root, "prompt"))) return !has(root, "steps");
  return steps.some((step) => stepWords.some((word) => isText(child(step, word)) || has(step, "parallel")));
}
