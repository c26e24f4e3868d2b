import * as z from "zod";
import { defined, isObject, type JsonObject } from "../base/index.ts";
import { child, listedTexts, textAt, type SourceNode } from "./source-node.ts";

const permissionLevels = ["read", "edit", "all"] as const;
export const contextWords = ["fresh", "last"] as const;
/** What a session that cannot be continued means. */
export const lostContextWords = ["fail", "fresh", "replay"] as const;

/** What an agent that Waymark drives may do without asking: a level, or a level with commands. */
export const permissionShape: z.ZodUnion = z.union([
  z.enum(permissionLevels),
  z.strictObject({
    level: z.enum(permissionLevels).describe("`read`, `edit` (files of the workspace too) or `all`."),
    commands: z.array(z.string().min(1)).optional().describe("Command lines that it may run too."),
  }),
]);

/** A permission as it is declared; undefined for a malformed one. */
export function readPermission(node: SourceNode | undefined): JsonObject | undefined {
  if (node === undefined) return undefined;
  const level = typeof node.value === "string" ? node.value : textAt(node, "level");
  if (level === undefined) return undefined;
  const commands =
    isObject(node.value) && child(node, "commands") !== undefined ? listedTexts(node, "commands").map((each) => each.value) : undefined;
  return defined({ level, commands });
}
