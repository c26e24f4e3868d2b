import { nearest } from "../../../base/index.ts";
import type { BatchFilter } from "../run/index.ts";
import { badArgument } from "../../../mcp/index.ts";

const operations = ["apply_fixes", "skip_instances", "flag_for_review", "group_by_type", "undo"] as const;
export type BatchCommand = (typeof operations)[number];

const aliases: Readonly<Record<string, BatchCommand>> = { apply_all: "apply_fixes", skip_all: "skip_instances" };

/** Fixes are what is asked for when nothing is said; the dry run shows it. Throws `MCP_BAD_ARGUMENT`. */
export function batchCommand(given: string | undefined): BatchCommand {
  if (given === undefined) return "apply_fixes";
  const named = aliases[given] ?? operations.find((name) => name === given);
  if (named !== undefined) return named;
  throw wrong(`\`operation\` must be one of ${operations.join(", ")}`);
}

/** Spellings of the parts of a filter. */
const filterNames: Readonly<Record<string, keyof BatchFilter>> = {
  instance_types: "instance_types",
  instance_type: "instance_types",
  file_patterns: "file_patterns",
  file_pattern: "file_patterns",
  auto_fixable_only: "auto_fixable_only",
  auto_fixable: "auto_fixable_only",
  status: "status",
  guide: "guide",
  version_step: "version_step",
  workflow: "workflow",
  workflow_type: "workflow",
};
const statuses = ["pending", "in_progress", "failed", "settled"] as const;

/** The filter in one spelling, so that a confirmation can be compared with what was previewed. Throws `MCP_BAD_ARGUMENT`. */
export function batchFilter(given: Readonly<Record<string, unknown>> | undefined): BatchFilter {
  const filter: Record<string, unknown> = {};
  for (const [spelling, value] of Object.entries(given ?? {})) {
    if (value === null || value === undefined) continue;
    const name = filterNames[spelling];
    if (name === undefined) {
      const [near] = nearest(spelling, Object.keys(filterNames));
      throw wrong(`\`filter\` has no \`${spelling}\`${near === undefined ? "" : `; the nearest is \`${near}\``}`);
    }
    if (filter[name] !== undefined) throw wrong(`\`filter.${name}\` was given twice`);
    filter[name] = partOf(name, value);
  }
  return filter;
}

function partOf(name: keyof BatchFilter, value: unknown): unknown {
  switch (name) {
    case "instance_types":
    case "file_patterns":
      return namesOf(name, value);
    case "auto_fixable_only":
      if (value === true || value === "true") return true;
      if (value === false || value === "false") return false;
      throw wrong("`filter.auto_fixable_only` must be true or false");
    case "status":
      if (statuses.some((status) => status === value)) return value;
      throw wrong(`\`filter.status\` must be one of ${statuses.join(", ")}`);
    case "guide":
    case "version_step":
    case "workflow":
      if (typeof value !== "string" || value.trim() === "") throw wrong(`\`filter.${name}\` must be text`);
      return name === "version_step" ? stepOf(value) : value.trim();
  }
}

/** A text is a list of one; order does not matter. */
function namesOf(name: string, value: unknown): readonly string[] {
  const list = typeof value === "string" ? [value] : Array.isArray(value) ? (value as readonly unknown[]) : undefined;
  if (list === undefined || list.some((entry) => typeof entry !== "string")) throw wrong(`\`filter.${name}\` must be a list of texts`);
  const names = (list as readonly string[]).map((entry) =>
    name === "instance_types" && entry === "system_function" ? "getlasterror" : entry,
  );
  return [...new Set(names)].toSorted((a, b) => (a < b ? -1 : 1));
}

/** `BC23→BC24`, `23->24` and `BC23-24` are `BC23-BC24`. */
function stepOf(text: string): string {
  const [from, to] = [...text.matchAll(/\d+(?:\.\d+)?/g)].map((match) => Math.floor(Number(match[0])));
  if (from === undefined || to === undefined) throw wrong("`filter.version_step` must name two versions, such as BC23-BC24");
  return `BC${from}-BC${to}`;
}

/** People type `confirm <token>` as some clients ask them to. */
export function confirmationToken(given: string | undefined): string | undefined {
  const token = given?.trim().replace(/^confirm\s+/i, "");
  return token === "" ? undefined : token;
}

export function wrong(problem: string): Error {
  return badArgument(
    "workflow_batch",
    [problem],
    `session_id, operation (${operations.join(", ")}), filter? (${[...new Set(Object.values(filterNames))].join(", ")}), dry_run?, confirmation_token?, full_diff?, reason?, batch?`,
  );
}
