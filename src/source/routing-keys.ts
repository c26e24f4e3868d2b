import * as z from "zod";
import type { RoutingKeys } from "./dialect.ts";
import { listedTexts, type SourceNode } from "./source-node.ts";

/** What each key is for, in the documentation of every dialect. */
export const routingKeys: Readonly<Record<"triggers" | "examples" | "not_for", string>> = {
  triggers: "Phrases that ask for this workflow, e.g. `add support for`; the router chooses by them.",
  examples: "Whole requests that ask for this workflow; the router chooses by their words.",
  not_for: "What this workflow is not for; the router does not choose it for that.",
};

const texts = (about: string): z.ZodType => z.array(z.string().min(1)).optional().describe(about);

export const routingShape: Readonly<Record<keyof typeof routingKeys, z.ZodType>> = {
  triggers: texts(routingKeys.triggers),
  examples: texts(routingKeys.examples),
  not_for: texts(routingKeys.not_for),
};

export function readRouting(root: SourceNode | undefined): RoutingKeys {
  const read = (key: keyof typeof routingKeys): readonly string[] => listedTexts(root, key).map(({ value }) => value);
  return { triggers: read("triggers"), examples: read("examples"), notFor: read("not_for") };
}
