import { nearest, type Diagnostic } from "../base/index.ts";
import { formatDocumentPath, type SourceNode } from "./source-node.ts";

export interface Complaint {
  readonly code: string;
  readonly message: string;
  readonly fix?: string;
  /** Default `error`. */
  readonly severity?: "error" | "warning";
  /** What of the node is shown: its value (default), the key that leads to it, or a piece of its text (one character long by default). */
  readonly at?: "key" | "value" | { readonly offset: number; readonly length?: number };
}

/** Takes a problem of a node. Checks never stop at the first one. */
export type Complain = (node: SourceNode, complaint: Complaint) => void;

/** A `Complain` that adds to a list. */
export function collectInto(list: Diagnostic[]): Complain {
  return (node, { code, message, fix, severity = "error", at = "value" }) => {
    const place = typeof at === "string" ? node.file.placeOf(node.path, at) : node.file.placeInText(node.path, at.offset, at.length ?? 1);
    const path = formatDocumentPath(node.path);
    list.push({ code, severity, message, ...(fix === undefined ? {} : { fix }), ...(path === "" ? {} : { path }), place });
  };
}

/** "Did you mean `a` or `b`?"; undefined when nothing is close. */
export function didYouMean(name: string, known: Iterable<string>): string | undefined {
  const close = nearest(name, new Set(known));
  return close.length === 0 ? undefined : `Did you mean ${quoteList(close, "or")}?`;
}

/** The same, or else a list of what there is, unless that would be long. */
export function suggest(name: string, known: Iterable<string>, listed = 12): string | undefined {
  const names = [...new Set(known)];
  const close = didYouMean(name, names);
  if (close !== undefined || names.length === 0 || names.length > listed) return close;
  return `Known here: ${quoteList(names, "and")}.`;
}

export function quoteList(names: readonly string[], word: "and" | "or"): string {
  const quoted = names.map((name) => `\`${name}\``);
  return quoted.length < 2 ? quoted.join("") : `${quoted.slice(0, -1).join(", ")} ${word} ${quoted.at(-1)}`;
}

/** Errors first come first in the file: by file, line and column, each problem once. */
export function sortDiagnostics(list: readonly Diagnostic[], firstFile: string): Diagnostic[] {
  const seen = new Set<string>();
  const once = list.filter((each) => {
    const key = JSON.stringify([each.code, each.message, each.place?.file, each.place?.line, each.place?.column]);
    return seen.has(key) ? false : (seen.add(key), true);
  });
  const rank = (each: Diagnostic): string => `${each.place?.file === firstFile ? 0 : 1}${each.place?.file ?? ""}`;
  return once.sort(
    (a, b) =>
      compare(rank(a), rank(b)) ||
      (a.place?.line ?? 0) - (b.place?.line ?? 0) ||
      (a.place?.column ?? 0) - (b.place?.column ?? 0) ||
      compare(a.code, b.code),
  );
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** `a` or `an`, by the first letter of a step type. */
export function articleFor(word: string): string {
  return /^[aeiou]/.test(word) && !word.startsWith("user") ? "an" : "a";
}
