import { defined } from "../../base/index.ts";
import type { Finding } from "../../ports/index.ts";
import { pathIn } from "./path-in.ts";
import type { Reading, Unplaced } from "./reading.ts";

/** Name of a rule where the tool gives none. */
export const unnamedRule = "unnamed";
/** Rule of a file that the tool could not parse. */
export const parseErrorRule = "parse-error";

/** What a tool said, without where. */
export type Said = Omit<Unplaced, "unplaced" | "named" | "tool">;

export interface At {
  /** As the tool named the file; undefined for none. */
  readonly named: string | undefined;
  /** It named something else than a file: a page, say. */
  readonly isElsewhere?: boolean;
  readonly region: Finding["region"];
  readonly fix?: Finding["fix"];
}

/** A finding in a file of the workspace, or one without a place. Texts are whole: halves of a character become U+FFFD. */
export function placed(said: Said, { named, isElsewhere = false, region, fix }: At, reading: Reading): Finding | Unplaced {
  const { rule, severity, message, help, suppressed } = said;
  const facts = {
    tool: reading.tool,
    rule: wellFormed(rule),
    severity,
    message: wellFormed(message),
    ...defined({ help: help !== undefined && /^https?:\/\//i.test(help) ? help : undefined, suppressed }),
  };
  if (named === undefined || named === "") return { ...facts, unplaced: "no_file" };
  const path = isElsewhere ? undefined : pathIn(reading, named);
  if (path === undefined) return { ...facts, unplaced: "outside", named: wellFormed(named) };
  return { ...facts, path, region, ...defined({ fix }) };
}

const half = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g;

export function wellFormed(text: string): string {
  return text.replace(half, "\uFFFD");
}
