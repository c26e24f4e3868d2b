import type { Place } from "../../../../base/index.ts";
import {
  child,
  has,
  isText,
  listedTexts,
  membersOf,
  textAt,
  type SourceFile,
  type SourceNode,
  type TextNode,
} from "../../../../source/index.ts";
import { nodeWords, scriptFolders, type NodeWord } from "../vocabulary.ts";
import type { Waiting } from "./order.ts";

/** Nodes of a graph, or of a group: of what is at its key `nodes`. */
export function graphNodes(owner: SourceNode | undefined): readonly SourceNode[] {
  return membersOf(child(owner, "nodes"));
}

/** The same with the nodes inside of groups. */
export function allGraphNodes(owner: SourceNode | undefined): readonly SourceNode[] {
  return graphNodes(owner).flatMap((node) => [node, ...allGraphNodes(child(node, "loop_group"))]);
}

/** Where nodes are written, by their blocks: those in a group have its block in front. */
export function nodePlaces(owner: SourceNode | undefined, prefix = ""): Readonly<Record<string, Place>> {
  return Object.assign(
    {},
    ...graphNodes(owner).map((node) => {
      const block = `${prefix}${textAt(node, "id") ?? ""}`;
      return { [block]: node.file.placeOf(node.path, "value"), ...nodePlaces(child(node, "loop_group"), `${block}/`) };
    }),
  ) as Readonly<Record<string, Place>>;
}

/** What makes it a node: one word, in a file without errors. */
export function wordsOf(node: SourceNode): readonly NodeWord[] {
  return nodeWords.filter((word) => has(node, word));
}

/** The name of the file with the prompt of a node or of its loop. */
export function commandOf(node: SourceNode): TextNode | undefined {
  return [child(node, "command"), child(child(node, "loop"), "command")].find(isText);
}

/** A node with the ids that it waits for. */
export function waitingOf(node: SourceNode): Waiting {
  return { id: textAt(node, "id") ?? "", dependsOn: listedTexts(node, "depends_on").map((each) => each.value) };
}

/** The script of a node, when it is the name of a file and not a program. */
export function namedScript(node: SourceNode): TextNode | undefined {
  const script = child(node, "script");
  return isText(script) && /^(?:\.{0,2}\/)*[\p{L}\p{N}_][\p{L}\p{N}_./-]*$/u.test(script.value.trim()) ? script : undefined;
}

const endingsOf: Readonly<Record<string, readonly string[]>> = { bun: [".ts", ".js"], uv: [".py"] };

/** How a named script is found: where the host looks for scripts, else in a folder beside the file. */
export function scriptFiles(node: SourceNode): readonly string[] {
  const name = namedScript(node)?.value.trim() ?? "";
  const whole = scriptFolders.endings.some((ending) => name.endsWith(ending));
  const endings = whole ? [""] : (endingsOf[textAt(node, "runtime") ?? ""] ?? scriptFolders.endings);
  return [scriptFolders.word, "scripts"].flatMap((folder) => endings.map((ending) => `${folder}/${name}${ending}`));
}

/** Texts of files that a graph names, as they were read. */
export interface GraphFiles {
  /** Prompts by their names. */
  readonly prompts: Readonly<Record<string, SourceFile>>;
  /** Scripts by the first of their `scriptFiles`. */
  readonly scripts: Readonly<Record<string, SourceFile>>;
}
