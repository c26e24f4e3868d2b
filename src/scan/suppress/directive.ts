/** Whose way of writing a directive has. `eslint` covers oxlint as well, whose rules have the same names; `python` covers pylint, bandit and semgrep. */
export type DirectiveKind = "waymark" | "eslint" | "biome" | "ruff" | "python" | "nolint";

/** What a comment says about lines: the findings there are settled. Lines count from 1, both ends are included. */
export interface Directive {
  readonly kind: DirectiveKind;
  readonly from: number;
  readonly to: number;
  /** Rules that it names; undefined: all. */
  readonly rules: readonly string[] | undefined;
  /** Rules that were switched on again. */
  readonly except?: readonly string[];
  readonly reason?: string;
}

/** A comment, read. */
export interface Comment {
  /** Without its marks and the space around it. */
  readonly text: string;
  readonly block: boolean;
  readonly from: number;
  readonly to: number;
  /** The line on which the code behind it begins; its own where there is code before it on that line. */
  readonly next: number;
  /** There is no code before it on its line. */
  readonly alone: boolean;
}

/** Names in a list, without empty ones. */
export function namesIn(list: string): readonly string[] {
  return list
    .split(/[\s,]+/)
    .map((name) => name.trim())
    .filter((name) => name !== "");
}

/** A reason follows two dashes. */
export function withReason(said: string): { readonly list: string; readonly reason?: string } {
  const [list = "", ...rest] = said.split(/\s-{2,}\s/);
  const reason = rest.join(" -- ").trim();
  return reason === "" ? { list } : { list, reason };
}

/** No names: all rules. */
export function rulesIn(list: string): readonly string[] | undefined {
  const names = namesIn(list);
  return names.length === 0 ? undefined : names;
}
