import { own } from "../../../../base/index.ts";
import { child, descend, entriesOf, has, isText, type DocumentPath, type SourceNode, type TextNode } from "../../../../source/index.ts";
import type { TextKind } from "./find-refs.ts";
import { commandOf, namedScript, type GraphFiles } from "./graph-nodes.ts";
import { textFileNode } from "./text-file-node.ts";

/** A text of a node in which references are filled in. */
export interface NodeText {
  readonly node: TextNode;
  readonly kind: TextKind;
  /** It is used after a round of a group, and may name the nodes of that group. */
  readonly afterRound: boolean;
}

const prose: readonly DocumentPath[] = [
  ["prompt"],
  ["loop", "prompt"],
  ["loop", "gate_message"],
  ["approval", "message"],
  ["approval", "on_reject", "prompt"],
  ["cancel"],
  ["input"],
  ["fan_out", "items"],
];
const shell: readonly DocumentPath[] = [["bash"], ["loop", "until_bash"]];

/** All of them, those of the file with its prompt too. */
export function nodeTexts(node: SourceNode, { prompts }: Pick<GraphFiles, "prompts">): readonly NodeText[] {
  const at = (kind: TextKind, paths: readonly DocumentPath[], afterRound = false): readonly NodeText[] =>
    paths.flatMap((path) => {
      const text = descend(node, path);
      return isText(text) ? [{ node: text, kind, afterRound }] : [];
    });
  const command = commandOf(node);
  const file = command === undefined ? undefined : own(prompts, command.value);
  const given = entriesOf(child(node, "with")).flatMap(([, each]) => (isText(each) ? [each] : []));
  return [
    ...(file === undefined ? [] : [{ node: textFileNode(file), kind: "prose" as const, afterRound: false }]),
    ...at("prose", prose),
    ...given.map((each) => ({ node: each, kind: "prose" as const, afterRound: false })),
    ...at("shell", shell),
    ...(has(node, "script") && namedScript(node) === undefined ? at("code", [["script"]]) : []),
    ...at("prose", [["loop_group", "gate_message"]], true),
    ...at("shell", [["loop_group", "until_bash"]], true),
  ];
}
