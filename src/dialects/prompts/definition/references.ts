import {
  child,
  entriesOf,
  has,
  isText,
  membersOf,
  parseFile,
  referenceTo,
  type References,
  type SourceFile,
  type SourceNode,
  type TextNode,
} from "../../../source/index.ts";
import { messageInput, textFolders } from "./vocabulary.ts";

/** Steps of a file in order, those inside `parallel` too. */
export function stepNodes(root: SourceNode | undefined): readonly SourceNode[] {
  return membersOf(child(root, "steps")).flatMap((step) => (has(step, "parallel") ? membersOf(child(step, "parallel")) : [step]));
}

/** The name of a step's prompt. */
export function promptOf(step: SourceNode): TextNode | undefined {
  return [child(step, "step"), child(step, "command")].find(isText);
}

/** Whether a name is one: of letters, digits and `_ . @ + -`, without anything that could lead to another folder. */
export function isName(name: string): boolean {
  return /^[\p{L}\p{N}_][\p{L}\p{N}_.@+-]*$/u.test(name) && !name.includes("..");
}

/** How the prompt of a step is found: where the host looks for such texts, else in a folder beside the file. */
export function promptFiles(step: string): readonly string[] {
  return [`${textFolders.word}/${step}.md`, `steps/${step}.md`];
}

/** The prompts and the workflows that a file names. */
export function promptReferences(file: SourceFile): References {
  const steps = stepNodes(parseFile(file).root);
  const prompts = steps.flatMap((step) => promptOf(step)?.value ?? []).filter(isName);
  const workflows = steps.flatMap((step) => {
    const node = child(step, "workflow");
    if (!isText(node) || node.value === "") return [];
    const inputs = [...(has(step, "input") ? [messageInput] : []), ...entriesOf(child(step, "with")).map(([name]) => name)];
    return [referenceTo(node, node.value, inputs)];
  });
  return { workflows, files: [...new Set(prompts)].map(promptFiles) };
}
