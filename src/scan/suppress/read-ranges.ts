import { rulesIn, withReason, type Comment, type Directive, type DirectiveKind } from "./directive.ts";

/** What is switched off from a line on. */
type Open = Omit<Directive, "to">;

interface Switch {
  readonly kind: DirectiveKind;
  readonly on: boolean;
  readonly rules: readonly string[] | undefined;
  readonly reason?: string;
}

/** Directives that are in force from one comment to another, or to the end of the file. */
export function readRanges(comments: readonly Comment[]): readonly Directive[] {
  const done: Directive[] = [];
  let open: Open[] = [];
  for (const comment of comments) {
    const said = switchIn(comment);
    if (said === undefined) continue;
    const { on, ...rest } = said;
    if (!on) open.push({ ...rest, from: comment.from });
    else {
      const line = comment.to;
      const left: Open[] = [];
      for (const each of open) {
        if (each.kind !== said.kind) {
          left.push(each);
          continue;
        }
        const remaining = after(each, said.rules, line);
        done.push({ ...each, to: line });
        if (remaining !== undefined) left.push(remaining);
      }
      open = left;
    }
  }
  return [...done, ...open.map((each) => ({ ...each, to: Infinity }))];
}

/** What is still off when rules are switched on again. */
function after(off: Open, on: readonly string[] | undefined, line: number): Open | undefined {
  if (on === undefined) return undefined;
  const from = line + 1;
  if (off.rules === undefined) return { ...off, from, except: [...(off.except ?? []), ...on] };
  const rules = off.rules.filter((rule) => !on.includes(rule));
  return rules.length === 0 ? undefined : { ...off, from, rules };
}

function switchIn({ text, block }: Comment): Switch | undefined {
  const [, tool, word, said = ""] = /^(eslint|oxlint)-(disable|enable)(?![\w-])([^]*)$/.exec(text) ?? [];
  // ESLint takes only a block comment for this.
  if (word !== undefined && (block || tool === "oxlint")) {
    const { list, ...why } = withReason(said);
    return { kind: "eslint", on: word === "enable", rules: rulesIn(list), ...why };
  }
  const [, edge, list = ""] = /\bNOLINT(BEGIN|END)\b(?:\(([^)]*)\))?/.exec(text) ?? [];
  return edge === undefined ? undefined : { kind: "nolint", on: edge === "END", rules: rulesIn(list) };
}
