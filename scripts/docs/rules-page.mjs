// @ts-check
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { parse } from "yaml";
import { root } from "../run-tool.mjs";

/** Patterns of every bundled checklist: what each finds, why it matters, what to do, and which rules of other tools mean the same. */
export async function rulesPage() {
  const parts = [
    "# Rules",
    "",
    "What the bundled checklists look for by themselves. Everything else comes from the tools of a team. A place is left where a comment says",
    "`waymark-ignore <rule> <reason>`, or switches off one of the rules of the last column ([checklists.md](checklists.md)). `waymark info",
    "<workflow>` lists the same for one workflow.",
    "",
  ];
  const files = (await readdir(join(root, "workflows"))).filter((name) => name.endsWith(".workflow.yaml")).sort();
  for (const file of files) {
    const { type, name, pattern_discovery: found } = parse(await readFile(join(root, "workflows", file), "utf8"));
    /** @type {readonly Pattern[]} */
    const patterns = found?.patterns ?? [];
    if (patterns.length === 0) continue;
    const judged = found.instances === "confirm" ? " What is found is judged." : "";
    const left = found.leave_out === undefined ? "" : ` Nothing is reported in files that are ${found.leave_out.join(", ")}.`;
    parts.push(
      `## ${type}`,
      "",
      `${name}.${judged}${left}`,
      "",
      "| rule | severity | category | what | why | what to do | the same elsewhere |",
      "|---|---|---|---|---|---|---|",
    );
    for (const pattern of patterns) parts.push(rowOf(pattern));
    parts.push("");
  }
  return `${parts.join("\n").trimEnd()}\n`;
}

/**
 * @typedef {{
 *   id: string, description?: string, severity?: string, category?: string, why?: string, fix?: string, same_as?: readonly string[],
 *   instance_classifier?: { rules: readonly { suggested_action?: string }[] }
 * }} Pattern
 */

/** @param {Pattern} pattern */
function rowOf({
  id,
  description = "",
  severity = "warning",
  category = "",
  why = "",
  fix,
  same_as: same = [],
  instance_classifier: types,
}) {
  const actions = [...new Set((types?.rules ?? []).map((rule) => rule.suggested_action ?? ""))].filter((action) => action !== "");
  const cells = [`\`${id}\``, severity, category, description, why, fix ?? actions.join(" "), same.map((name) => `\`${name}\``).join(", ")];
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|").replaceAll("\n", " ")).join(" | ")} |`;
}
