import type { Expr } from "../../../program/index.ts";
import { value } from "../../../source/index.ts";
import type { NodeWork } from "./graph-definition.ts";
import { filledText } from "./graph-expressions.ts";
import type { GraphSheet } from "./node-blocks.ts";
import { messageInput } from "./vocabulary.ts";

export type Call = Extract<NodeWork, { readonly kind: "call" }>;

/** What a call is given; the item too, where it is for one of a list. */
export function callInputs(does: Call, sheet: GraphSheet): Readonly<Record<string, Expr>> {
  const { fanOut: fan } = does;
  if (fan === undefined) return inputsOf(does, sheet);
  return {
    ...inputsOf(does, sheet),
    ...(fan.asked ? { [messageInput]: value('{{ typeof item === "string" ? item : JSON.stringify(item) }}') } : {}),
    ...(fan.asked && fan.as === messageInput ? {} : { [fan.as]: value('{{ item === null ? "null" : item }}') }),
  };
}

function inputsOf({ inputs }: Call, { scope }: GraphSheet): Readonly<Record<string, Expr>> {
  return Object.fromEntries(
    Object.entries(inputs).map(([name, given]) => [name, "text" in given ? filledText(given.text, scope) : value(given.value)]),
  );
}
