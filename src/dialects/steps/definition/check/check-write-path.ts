import { editDistance, forbiddenKeys, nearest, splitPath } from "../../../../base/index.ts";
import type { SourceNode } from "../../../../source/index.ts";
import { fillHoles, hasHole, wholeHole } from "../template.ts";
import type { CheckContext } from "./check-context.ts";

/** Rules for a path that something is written to; one that is a template as a whole can only be judged when it is known. */
export function checkWritePath(context: CheckContext, node: SourceNode, options: { readonly fixed: boolean } = { fixed: false }): void {
  if (typeof node.value !== "string") return;
  const path = node.value;
  const refuse = (message: string, fix: string): void => context.complain(node, { code: "STEPS_WRITE_PATH", message, fix });
  if (options.fixed && hasHole(path))
    return refuse(`The path \`${path}\` must be fixed: templates are not evaluated here.`, "Use a path without templates.");
  if (wholeHole(path) !== undefined) return;
  const problem = problemOf(path);
  if (problem !== undefined) return refuse(problem, fixFor(context, path));
  const keys = splitPath(fillHoles(path, "_")) ?? [];
  const forbidden = keys.find((key) => forbiddenKeys.has(key));
  if (forbidden !== undefined)
    return context.complain(node, {
      code: "STEPS_FORBIDDEN_KEY",
      message: `The path \`${path}\` holds the key \`${forbidden}\`, which is not allowed.`,
      fix: "Choose another name.",
    });
  const [, name = ""] = keys;
  if (context.names.computed.has(name)) {
    context.complain(node, {
      code: "STEPS_NAME_COLLISION",
      severity: "warning",
      message: `\`${path}\` is written, but readers see the computed field \`${name}\` in its place.`,
      fix: "Use different names.",
    });
  }
}

function problemOf(path: string): string | undefined {
  if (path.trim() === "") return "The path to write to is empty.";
  if (path !== path.trim()) return `The path \`${path}\` has blanks around it.`;
  if (path.startsWith(".")) return `The path \`${path}\` starts with a dot.`;
  const filled = fillHoles(path, "_");
  const [tier = ""] = /^[^.[]*/.exec(filled) ?? [];
  if (hasHole(/^[^.]*/.exec(path)?.[0] ?? "")) return `The path \`${path}\` must begin with \`raw.\` or \`state.\`, not with a template.`;
  if (tier === "computed") return `\`${path}\` cannot be written: computed fields are derived from others.`;
  if (tier === "inputs" || tier === "config") return `\`${path}\` cannot be written: \`${tier}\` is read-only.`;
  if (tier !== "raw" && tier !== "state") return `The path \`${path}\` does not start with \`raw.\` or \`state.\`.`;
  const keys = splitPath(filled);
  if (filled === tier || filled === `${tier}.`) return `The path \`${path}\` names a whole tier; it needs at least one field.`;
  return keys === undefined ? `The path \`${path}\` has an empty or unclosed part.` : undefined;
}

function fixFor(context: CheckContext, path: string): string {
  const name = path.trim().replace(/^\.+/, "").replace(/\.+$/, "");
  if (/^(raw|state)\b/.test(name)) return "Write it as `raw.<name>` or `state.<name>`, with one dot between keys.";
  if (/^(computed|inputs|config)\./.test(name)) return "Write to a field of `raw` or `state` instead.";
  if (name === "") return "Write it as `raw.<name>` or `state.<name>`.";
  const [first = "", ...rest] = name.split(".");
  const tier = ["raw", "state"].find((each) => editDistance(first, each) <= 1);
  if (tier !== undefined && rest.length > 0) return `Did you mean \`${[tier, ...rest].join(".")}\`?`;
  const [close = first] = context.names.raw.has(first) ? [first] : nearest(first, context.names.raw, 1);
  return `Did you mean \`${["raw", close, ...rest].join(".")}\`?`;
}
