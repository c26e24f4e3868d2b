import { quoteList, type Complaint, type SourceNode } from "../../../../source/index.ts";
import { pick, type ActionSource } from "../read/action-source.ts";

/** An action and where it leads. */
export interface Path {
  readonly source: ActionSource;
  readonly order: number;
  readonly next: string | null;
}

type Say = (node: SourceNode, complaint: Complaint) => void;

/**
 * Follows the paths from the action with the lowest order. Paths come sorted by order; each leads to one of them or ends.
 * Answers the actions on the way, and says what is wrong: a cycle, a second beginning, none at all, an action that is never reached.
 */
export function checkPaths(paths: readonly Path[], say: Say): Path[] {
  const [start] = paths;
  if (start === undefined) return [];
  const byName = new Map(paths.map((path) => [path.source.name, path]));
  const follow = (path: Path): Path[] => {
    const way: Path[] = [];
    for (let at: Path | undefined = path; at !== undefined && !way.includes(at); at = at.next === null ? undefined : byName.get(at.next))
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
  const explained = new Set<Path>([...way, ...inCycle]);
  for (const head of heads.filter((each) => !explained.has(each))) {
    complainOfHead(start, head, { second: heads.includes(start) && head.next !== null }, say);
    for (const path of follow(head)) explained.add(path);
  }
  return way;
}

/** Each cycle is reported once, at the action of it that comes first. */
function complainOfCycles(paths: readonly Path[], follow: (path: Path) => Path[], say: Say): Set<Path> {
  const inCycle = new Set<Path>();
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

function complainOfHead(start: Path, head: Path, { second }: { second: boolean }, say: Say): void {
  const { name, file, later } = head.source;
  const severity = later ? "warning" : "error";
  const begin = start.source;
  const leftOut = later ? " It is left out." : "";
  if (second)
    say(nodeOf(head), {
      code: "BOTS_TWO_FIRST",
      severity,
      message: `The sequence has two first actions, \`${begin.name}\` in \`${begin.file}\` and \`${name}\` in \`${file}\`: no \`next_action\` leads to either.${leftOut}`,
      fix: `Name \`${name}\` as the \`next_action\` of the action before it.`,
    });
  else
    say(nodeOf(head), {
      code: "BOTS_UNREACHABLE",
      severity,
      message: `The action \`${name}\` is never reached: the sequence begins with \`${begin.name}\`, and no \`next_action\` leads to \`${name}\`.${leftOut}`,
      fix: `Name \`${name}\` as the \`next_action\` of the action before it, or write \`"workflow": false\`.`,
    });
}

/** Where an action is spoken of: the configuration that gives its place. */
function nodeOf({ source }: Path): SourceNode {
  return (pick(source.placing, "name") === undefined ? source.placing.at(-1) : pick(source.placing, "name"))!;
}
