import { nearest } from "../../../base/index.ts";
import { didYouMean, quoteList, type Complain, type Complaint, type SourceNode } from "../../../source/index.ts";
import { plainName } from "./vocabulary.ts";
import { findAction, pick, type ActionSource } from "./read/read-actions.ts";

/** A workflow action with its place: what follows it is settled, null at the end. */
export interface Arranged {
  readonly source: ActionSource;
  readonly order: number;
  readonly next: string | null;
}

export interface Sequence {
  /** From the first action to the last one. */
  readonly arranged: readonly Arranged[];
  readonly problems: readonly { readonly node: SourceNode; readonly complaint: Complaint }[];
}

/** What else is known when a sequence is checked: names of independent actions, and of actions whose configuration could not be read. */
interface SequenceContext {
  readonly independent: readonly string[];
  readonly unread: readonly string[];
}

/**
 * Puts workflow actions into the order in which they are done: the lowest `order` begins, `next_action` leads on, and where that
 * may be missing the next `order` takes its place. Every contradiction is a problem: an error, or a warning in the later form.
 */
export function checkSequence(actions: readonly ActionSource[], context: SequenceContext): Sequence {
  const problems: Sequence["problems"][number][] = [];
  const say: Complain = (node, complaint) => void problems.push({ node, complaint });
  const placed = actions.map((source) => ({ source, order: orderOf(source, say) }));
  checkOrders(placed, say);
  const sorted = [...placed].sort((a, b) => (a.order === b.order ? 0 : a.order - b.order));
  const missing: string[] = [];
  const paths = sorted.map((place, index): Arranged => {
    const following = sorted[index + 1]?.source.name ?? null;
    return { ...place, next: nextOf(place.source, following, { ...context, sorted: sorted.map(({ source }) => source), missing, say }) };
  });
  const first = sorted[0]?.source.placing[0];
  if (missing.length > 0 && first !== undefined)
    say(first, {
      code: "BOTS_NEXT_BY_ORDER",
      severity: "warning",
      message: `${quoteList(missing, "and")} ${missing.length === 1 ? "has" : "have"} no \`next_action\`; the next \`order\` follows.`,
      fix: "Add `next_action`, so that the files say what follows.",
    });
  return { arranged: checkPaths(paths, say), problems };
}

/** A file without a usable order goes to the end, so that it spoils nothing else. */
function orderOf(source: ActionSource, say: Complain): number {
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
      ...(node !== undefined && { at: "key" }),
    });
  return Number.POSITIVE_INFINITY;
}

function checkOrders(placed: readonly { source: ActionSource; order: number }[], say: Complain): void {
  const seen = new Map<number, ActionSource>();
  for (const { source, order } of placed) {
    const other = order === Number.POSITIVE_INFINITY ? undefined : seen.get(order);
    const node = pick(source.placing, "order");
    if (other === undefined) seen.set(order, source);
    else if (node !== undefined)
      say(node, {
        code: "BOTS_DUPLICATE_ORDER",
        message: `\`${other.name}\` and \`${source.name}\` have the same order ${order}, ${other.file === source.file ? "both in" : `in \`${other.file}\` and`} \`${source.file}\`.`,
        fix: "Give each action an order of its own.",
      });
  }
}

interface NextContext extends SequenceContext {
  readonly sorted: readonly ActionSource[];
  readonly missing: string[];
  readonly say: Complain;
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
  if (context.unread.includes(plainName(node.value))) return following;
  const others = [...sorted.map(({ name }) => name).filter((name) => name !== source.name), ...context.unread];
  const independent = context.independent.includes(node.value);
  say(node, {
    code: "BOTS_UNKNOWN_NEXT",
    severity: source.later ? "warning" : "error",
    message: `\`next_action\` of \`${source.name}\` is \`${node.value}\`, which is ${independent ? "an independent action" : "not an action of this sequence"}.${
      source.later ? ` ${following === null ? "The behaviour ends here" : `\`${following}\`, the next in order, follows`} instead.` : ""
    }`,
    fix: didYouMean(node.value, others) ?? `Use ${[...others.map((name) => `\`${name}\``), "null for the end"].join(" or ")}.`,
  });
  const meant = nearest(node.value, others)[0] ?? null;
  return source.later || context.unread.includes(meant ?? "") ? following : meant;
}

/**
 * Follows the paths from the action with the lowest order. Paths come sorted by order; each leads to one of them or ends.
 * Answers the actions on the way, and says what is wrong: a cycle, a second beginning, none at all, an action that is never reached.
 */
function checkPaths(paths: readonly Arranged[], say: Complain): Arranged[] {
  const [start] = paths;
  if (start === undefined) return [];
  const byName = new Map(paths.map((path) => [path.source.name, path]));
  const follow = (path: Arranged): Arranged[] => {
    const way: Arranged[] = [];
    for (
      let at: Arranged | undefined = path;
      at !== undefined && !way.includes(at);
      at = at.next === null ? undefined : byName.get(at.next)
    )
      way.push(at);
    return way;
  };
  const inCycle = complainOfCycles(paths, follow, say);
  const led = new Set(paths.filter((path) => path.next !== path.source.name).map((path) => path.next));
  const heads = paths.filter((path) => !led.has(path.source.name) && !inCycle.has(path));
  const way = follow(start);
  if (heads.length === 0 && inCycle.size === paths.length)
    say(nodeOf(start), {
      code: "BOTS_NO_FIRST",
      message: "No action is the first one: each of them is the `next_action` of another.",
      fix: 'End the sequence: write `"next_action": null` in its last action.',
    });
  const explained = new Set<Arranged>([...way, ...inCycle]);
  for (const head of heads.filter((each) => !explained.has(each))) {
    complainOfHead(start, head, { second: heads.includes(start) && head.next !== null }, say);
    for (const path of follow(head)) explained.add(path);
  }
  return way;
}

/** Each cycle is reported once, at the action of it that comes first. */
function complainOfCycles(paths: readonly Arranged[], follow: (path: Arranged) => Arranged[], say: Complain): Set<Arranged> {
  const inCycle = new Set<Arranged>();
  for (const path of paths) {
    const way = follow(path);
    const last = way.at(-1);
    if (inCycle.has(path) || last === undefined || last.next !== path.source.name) continue;
    for (const each of way) inCycle.add(each);
    const names = [...way, path].map(({ source }) => `\`${source.name}\``).join(" → ");
    const files = [...new Set(way.map(({ source }) => source.file))];
    say(pick(path.source.placing, "next_action") ?? nodeOf(path), {
      code: "BOTS_CYCLE",
      message: `The actions lead in a circle: ${names}, in ${quoteList(files, "and")}.`,
      fix: "Change one `next_action`, or write null where the behaviour ends.",
    });
  }
  return inCycle;
}

function complainOfHead({ source: begin }: Arranged, head: Arranged, { second }: { second: boolean }, say: Complain): void {
  const { name, file, later } = head.source;
  const wrong = second
    ? `The sequence has two first actions, \`${begin.name}\` in \`${begin.file}\` and \`${name}\` in \`${file}\`: no \`next_action\` leads to either.`
    : `The action \`${name}\` is never reached: the sequence begins with \`${begin.name}\`, and no \`next_action\` leads to \`${name}\`.`;
  say(nodeOf(head), {
    code: second ? "BOTS_TWO_FIRST" : "BOTS_UNREACHABLE",
    severity: later ? "warning" : "error",
    message: later ? `${wrong} It is left out.` : wrong,
    fix: `Name \`${name}\` as the \`next_action\` of the action before it${second ? "." : ', or write `"workflow": false`.'}`,
  });
}

/** Where an action is spoken of: the configuration that gives its place. */
function nodeOf({ source }: Arranged): SourceNode {
  return (pick(source.placing, "name") ?? source.placing.at(-1))!;
}
