import {
  child,
  entriesOf,
  has,
  isText,
  membersOf,
  parseFile,
  referenceTo,
  textAt,
  type References,
  type SourceFile,
  type SourceNode,
  type TextNode,
  type WorkflowReference,
} from "../../../source/index.ts";
import { allGraphNodes, commandOf, namedScript, scriptFiles } from "./graph/graph-nodes.ts";
import { messageInput, stepFolders } from "./vocabulary.ts";

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
  return [`${stepFolders.word}/${step}.md`, `steps/${step}.md`];
}

/** The prompts, scripts and workflows that a file names. */
export function promptReferences(file: SourceFile): References {
  const { root } = parseFile(file);
  const [steps, nodes] = [stepNodes(root), allGraphNodes(root)];
  const named = [...steps.map(promptOf), ...nodes.map(commandOf)].flatMap((node) => node?.value ?? []);
  const prompts = [...new Set(named.filter(isName))].map(promptFiles);
  const scripts = nodes.flatMap((node) => (isScriptName(namedScript(node)?.value) ? [scriptFiles(node)] : []));
  const once = new Map([...prompts, ...scripts].map((ways) => [ways[0], ways]));
  return { workflows: [...steps, ...nodes].flatMap(callsOf), files: [...once.values()] };
}

/** A script may be in a folder of the folder for scripts, and nowhere else. */
export function isScriptName(name: string | undefined): boolean {
  return name !== undefined && name.trim().split("/").every(isName);
}

/** The workflows that a step or a node runs, with the names of what they are given. */
function callsOf(step: SourceNode): readonly WorkflowReference[] {
  return ["workflow", "include"].flatMap((word) => {
    const node = child(step, word);
    if (!isText(node) || node.value === "") return [];
    const fan = child(step, "fan_out");
    const as = textAt(fan, "as");
    const message = has(step, "input") || word === "include" || fan !== undefined ? [messageInput] : [];
    const inputs = [...new Set([...message, ...(as === undefined ? [] : [as]), ...entriesOf(child(step, "with")).map(([name]) => name)])];
    // An item is the message and an input, whichever the workflow has.
    return [{ ...referenceTo(node, node.value, inputs), ...(as === undefined ? {} : { ifDeclared: true as const }) }];
  });
}
