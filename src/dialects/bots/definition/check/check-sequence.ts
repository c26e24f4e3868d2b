import { nearest } from "../../../../base/index.ts";
import { quoteList, type Complaint, type SourceNode } from "../../../../source/index.ts";
import { findAction, pick, type ActionSource } from "../read/action-source.ts";
import { checkPaths, type Path } from "./check-paths.ts";

/** A workflow action with its place: what follows it is settled, null at the end. */
export interface Arranged {
  readonly source: ActionSource;
  readonly order: number;
  readonly next: string | null;
}

export interface SequenceProblem {
  readonly node: SourceNode;
  readonly complaint: Complaint;
}

export interface Sequence {
  /** From the first action to the last one. */
  readonly arranged: readonly Arranged[];
  readonly problems: readonly SequenceProblem[];
}

/** What else is known when a sequence is checked. */
export interface SequenceContext {
  /** Names of independent actions. */
  readonly independent: readonly string[];
  /** Names of actions whose configuration could not be read. */
  readonly unread: readonly string[];
}

/**
 * Puts workflow actions into the order in which they are done: the lowest `order` begins, `next_action` leads on, and where that
 * may be missing the next `order` takes its place. Every contradiction is a problem: an error, or a warning in the later form.
 */
export function checkSequence(actions: readonly ActionSource[], context: SequenceContext): Sequence {
  const problems: SequenceProblem[] = [];
  const say = (node: SourceNode, complaint: Complaint): void => void problems.push({ node, complaint });
  const placed = actions.map((source) => ({ source, order: orderOf(source, say) }));
  checkOrders(placed, say);
  const sorted = [...placed].sort((a, b) => (a.order === b.order ? 0 : a.order - b.order));
  const missing: string[] = [];
  const paths = sorted.map((place, index): Path => {
    const following = sorted[index + 1]?.source.name ?? null;
    return { ...place, next: nextOf(place.source, following, { ...context, sorted: sorted.map(({ source }) => source), missing, say }) };
  });
  complainOfMissing(sorted[0]?.source, missing, say);
  return { arranged: checkPaths(paths, say), problems };
}

type Say = (node: SourceNode, complaint: Complaint) => void;

/** A file without a usable order goes to the end, so that it spoils nothing else. */
function orderOf(source: ActionSource, say: Say): number {
  const node = pick(source.placing, "order");
  if (typeof node?.value === "number") return node.value;
  if (source.position !== undefined) return source.position;
  const first = source.placing[0];
  // A value of the wrong type is reported elsewhere.
  if (first !== undefined && (node === undefined || node.value === null))
    say(node ?? first, {
      code: "BOTS_NO_ORDER",
      message: `The workflow action \`${source.name}\` has no \`order\`.`,
      fix: 'Add `"order"` with a number, or write `"workflow": false`.',
      ...(node === undefined ? {} : { at: "key" }),
    });
  return Number.POSITIVE_INFINITY;
}

function checkOrders(placed: readonly { source: ActionSource; order: number }[], say: Say): void {
  const seen = new Map<number, ActionSource>();
  for (const { source, order } of placed) {
    const other = seen.get(order);
    if (other === undefined || order === Number.POSITIVE_INFINITY) seen.set(order, source);
    else {
      const node = pick(source.placing, "order");
      const files = other.file === source.file ? `both in \`${source.file}\`` : `in \`${other.file}\` and \`${source.file}\``;
      if (node !== undefined)
        say(node, {
          code: "BOTS_DUPLICATE_ORDER",
          message: `\`${other.name}\` and \`${source.name}\` have the same order ${order}, ${files}.`,
          fix: "Give each action an order of its own.",
        });
    }
  }
}

interface NextContext extends SequenceContext {
  readonly sorted: readonly ActionSource[];
  readonly missing: string[];
  readonly say: Say;
}

/** What follows an action. What an error hides is guessed, so that one mistake is reported once. */
function nextOf(source: ActionSource, following: string | null, { sorted, missing, say, ...context }: NextContext): string | null {
  const node = pick(source.placing, "next_action");
  if (node === undefined) {
    if (source.later && following !== null) missing.push(source.name);
    if (!source.later && source.placing[0] !== undefined)
      say(source.placing[0], {
        code: "BOTS_MISSING_KEY",
        message: `The workflow action \`${source.name}\` needs \`next_action\`.`,
        fix: 'Add `"next_action"` with the name of an action, or null for the last one.',
      });
    return following;
  }
  if (node.value === null) return null;
  if (typeof node.value !== "string") return following;
  const target = findAction(sorted, node.value);
  if (target !== undefined) return target.name;
  if (
    findAction(
      [...context.unread].map((name) => ({ name, folder: name })),
      node.value,
    ) !== undefined
  )
    return following;
  const names = sorted.map(({ name }) => name);
  const close = nearest(
    node.value,
    names.filter((name) => name !== source.name),
  );
  const independent = context.independent.includes(node.value);
  say(node, {
    code: "BOTS_UNKNOWN_NEXT",
    severity: source.later ? "warning" : "error",
    message: `\`next_action\` of \`${source.name}\` is \`${node.value}\`, which is ${independent ? "an independent action" : "not an action of this sequence"}.${
      source.later ? ` ${following === null ? "The behaviour ends here" : `\`${following}\`, the next in order, follows`} instead.` : ""
    }`,
    fix: close.length > 0 ? `Did you mean ${quoteList(close, "or")}?` : `Use ${quoteList(names, "or")}, or null for the end.`,
  });
  return source.later ? following : (close[0] ?? null);
}

function complainOfMissing(first: ActionSource | undefined, missing: readonly string[], say: Say): void {
  const node = first?.placing[0];
  if (missing.length === 0 || node === undefined) return;
  say(node, {
    code: "BOTS_NEXT_BY_ORDER",
    severity: "warning",
    message: `${quoteList(missing, "and")} ${missing.length === 1 ? "has" : "have"} no \`next_action\`; the next \`order\` follows.`,
    fix: "Add `next_action`, so that the files say what follows.",
  });
}
