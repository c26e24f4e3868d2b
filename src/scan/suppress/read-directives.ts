import type { ScanProblem } from "../../ports/index.ts";
import type { PreparedSource } from "../prepared-source.ts";
import { namesIn, rulesIn, withReason, type Comment, type Directive } from "./directive.ts";
import { readComments } from "./read-comments.ts";
import { readRanges } from "./read-ranges.ts";

export interface Directives {
  readonly all: readonly Directive[];
  /** Directives of ours that do not count. */
  readonly problems: readonly ScanProblem[];
}

/** What the comments of a file settle. */
export function readDirectives(source: Pick<PreparedSource, "text" | "tokens" | "lines">): Directives {
  const comments = readComments(source);
  const own = comments.map(ownDirective);
  return {
    all: [
      ...own.flatMap((each) => each?.directive ?? []),
      ...comments.flatMap((comment) => [
        ...eslintLine(comment),
        ...biome(comment),
        ...ruff(comment),
        ...python(comment),
        ...nolintLine(comment),
      ]),
      ...readRanges(comments),
    ],
    problems: own.flatMap((each) => each?.problem ?? []),
  };
}

const whole = { from: 1, to: Infinity } as const;

/** `waymark-ignore <rule> <reason>`: on the line of the code, or alone before it. */
function ownDirective(comment: Comment): { readonly directive?: Directive; readonly problem?: ScanProblem } | undefined {
  const [, said] = /(?:^|[#/]\s*)waymark-ignore\b([^\r\n]*)/.exec(comment.text) ?? [];
  if (said === undefined) return undefined;
  const [, rules = "", reason = ""] = /^\s*(\S+)?\s*(?:--|:)?\s*(.*?)\s*$/.exec(said) ?? [];
  if (rules === "" || reason === "") {
    const missing = rules === "" ? "a rule and a reason" : "a reason";
    const message = `Line ${comment.from}: \`waymark-ignore\` needs ${missing}, so it does not count. Write \`waymark-ignore <rule> <reason>\`.`;
    return { problem: { code: "SCAN_IGNORED_WITHOUT_REASON", message } };
  }
  return { directive: { kind: "waymark", from: comment.next, to: comment.next, rules: namesIn(rules.replace(/:$/, "")), reason } };
}

function eslintLine({ text, from, to }: Comment): Directive[] {
  const [, where, said = ""] = /^(?:eslint|oxlint)-disable-(line|next-line)\b([^]*)$/.exec(text) ?? [];
  if (where === undefined) return [];
  const { list, ...why } = withReason(said);
  const lines = where === "line" ? { from, to } : { from: to + 1, to: to + 1 };
  return [{ kind: "eslint", ...lines, rules: rulesIn(list), ...why }];
}

/** Biome takes no directive without a reason. What it silences beside its linter is nothing of ours. */
function biome({ text, next }: Comment): Directive[] {
  const [, all, said = "", reason = ""] = /^biome-ignore(-all)?\s+([\w/\s(),-]+?)\s*:\s*(\S[^]*)$/.exec(text) ?? [];
  const rules = namesIn(said.replace(/\([^)]*\)/g, "")).filter((name) => /^lint(?:\/|$)/.test(name));
  if (rules.length === 0) return [];
  const named = rules.includes("lint") ? undefined : rules;
  return [{ kind: "biome", ...(all === undefined ? { from: next, to: next } : whole), rules: named, reason: reason.trim() }];
}

function ruff({ text, from, to }: Comment): Directive[] {
  const [, file, codes] = /(?:^|#\s*)((?:ruff|flake8)\s*:\s*)?noqa\b(?:\s*:\s*((?:[A-Z]+\d+[\s,]*)+))?/i.exec(text) ?? [];
  if (!/(?:^|#\s*)(?:(?:ruff|flake8)\s*:\s*)?noqa\b/i.test(text)) return [];
  return [{ kind: "ruff", ...(file === undefined ? { from, to } : whole), rules: rulesIn((codes ?? "").toUpperCase()) }];
}

/** `# nosec B102`, `# nosemgrep: id`, `# pylint: disable=exec-used`; alone on its line pylint means what follows. */
function python({ text, from, to, next, alone }: Comment): Directive[] {
  const [, tool, said = ""] = /(?:^|#\s*)(nosec|nosemgrep)\b:?\s*([\w.,\s-]*)/i.exec(text) ?? [];
  if (tool !== undefined) return [{ kind: "python", from, to, rules: rulesIn(tool.toLowerCase() === "nosec" ? codesIn(said) : said) }];
  const [, off] = /(?:^|#\s*)pylint:\s*disable=([\w,\s-]+)/.exec(text) ?? [];
  if (off === undefined) return [];
  const rules = rulesIn(off);
  return [{ kind: "python", from: alone ? next : from, to: alone ? next : to, rules: rules?.includes("all") === true ? undefined : rules }];
}

/** What follows the word may be a reason. */
function codesIn(said: string): string {
  return (said.match(/\bB\d{3}\b/g) ?? []).join(",");
}

function nolintLine({ text, from, to }: Comment): Directive[] {
  const [, next, said = ""] = /\bNOLINT(NEXTLINE)?(?![A-Z])(?:\(([^)]*)\))?/.exec(text) ?? [];
  if (!/\bNOLINT(?:NEXTLINE)?(?![A-Z])/.test(text)) return [];
  const lines = next === undefined ? { from, to } : { from: to + 1, to: to + 1 };
  const rules = rulesIn(said);
  return [{ kind: "nolint", ...lines, rules: rules?.includes("*") === true ? undefined : rules }];
}
