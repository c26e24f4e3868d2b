import { isList, isObject } from "../../../../base/index.ts";
import {
  child,
  entriesOf,
  has,
  isText,
  listedTexts,
  membersOf,
  numberAt,
  type SourceNode,
  type TextNode,
} from "../../../../source/index.ts";
import { checkKeys } from "../check/check-keys.ts";
import type { TriggerDefinition } from "../bot-definition.ts";
import { triggerShape } from "../shape/config-shapes.ts";
import { triggersFile } from "../vocabulary.ts";
import type { ActionPart } from "./action-source.ts";
import type { BotReading } from "./bot-reading.ts";

/** Trigger words of configurations and of the files beside them; the highest priority first. */
export function readTriggers(reading: BotReading, parts: readonly ActionPart[]): TriggerDefinition[] {
  const nodes = parts.flatMap(({ node, folder }) => [
    child(node, "trigger_words"),
    folder === undefined ? undefined : reading.json(`${folder}/${triggersFile}`),
  ]);
  return nodes
    .flatMap((node) => (node === undefined ? [] : triggersOf(reading, node)))
    .filter(({ patterns }) => patterns.length > 0)
    .sort((a, b) => b.priority - a.priority);
}

function triggersOf(reading: BotReading, node: SourceNode): TriggerDefinition[] {
  if (isList(node.value)) return [{ patterns: usable(reading, textsIn(reading, node)), priority: 0 }];
  if (has(node, "patterns")) return [oneOf(reading, node)];
  if (isObject(node.value)) return entriesOf(node).map(([, each]) => oneOf(reading, each));
  checkKeys(reading, node, triggerShape, "The trigger words");
  return [];
}

/** `{patterns, priority}`, or the bare list of patterns. */
function oneOf(reading: BotReading, node: SourceNode): TriggerDefinition {
  if (isList(node.value)) return { patterns: usable(reading, textsIn(reading, node)), priority: 0 };
  if (!checkKeys(reading, node, triggerShape, "A group of trigger words")) return { patterns: [], priority: 0 };
  return { patterns: usable(reading, listedTexts(node, "patterns")), priority: numberAt(node, "priority") ?? 0 };
}

function textsIn(reading: BotReading, node: SourceNode): TextNode[] {
  const members = membersOf(node);
  for (const member of members)
    if (!isText(member))
      reading.complain(member, {
        code: "BOTS_WRONG_TYPE",
        message: "A trigger word must be a text.",
        fix: "Write a regular expression in quotes.",
      });
  return members.filter(isText);
}

/** Letter case never counts, so the flag that other engines write for it is dropped. What does not compile is left out. */
function usable(reading: BotReading, nodes: readonly TextNode[]): string[] {
  return nodes.flatMap((node) => {
    const pattern = node.value.replace(/^\(\?i\)/, "");
    if (pattern.trim() !== "" && compiles(pattern)) return [pattern];
    reading.complain(node, {
      code: "BOTS_BAD_PATTERN",
      severity: "warning",
      message: `The trigger word \`${node.value}\` is not a regular expression and is left out.`,
      fix: "Correct it; in JSON every backslash is written twice.",
    });
    return [];
  });
}

function compiles(pattern: string): boolean {
  try {
    return new RegExp(pattern, "i").source !== "";
  } catch {
    return false;
  }
}
