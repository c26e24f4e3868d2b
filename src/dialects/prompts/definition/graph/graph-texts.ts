import type { CallInput, GraphNode, GraphText, NodeWork } from "../graph-definition.ts";

/** Every text of a graph in which references are filled in, those of groups too; conditions are none. */
export function graphTexts(nodes: readonly GraphNode[]): readonly GraphText[] {
  return nodes.flatMap(({ does }) => [...textsOf(does), ...(does.kind === "group" ? graphTexts(does.nodes) : [])]);
}

function textsOf(does: NodeWork): readonly GraphText[] {
  const given = (text: GraphText | undefined): readonly GraphText[] => (text === undefined ? [] : [text]);
  switch (does.kind) {
    case "prompt":
      return [does.prompt];
    case "shell":
      return [does.command];
    case "script":
      return [does.code];
    case "loop":
      return [does.prompt, ...given(does.untilBash), ...given(does.gate)];
    case "group":
      return [...given(does.untilBash), ...given(does.gate)];
    case "approval":
      return [does.message, ...given(does.onReject?.prompt)];
    case "cancel":
      return [does.reason];
    case "include":
      return inputTexts(does);
    case "call":
      return [...inputTexts(does), ...given(does.fanOut?.items)];
  }
}

function inputTexts({ inputs }: { readonly inputs: Readonly<Record<string, CallInput>> }): readonly GraphText[] {
  return Object.values(inputs).flatMap((each) => ("text" in each ? [each.text] : []));
}
