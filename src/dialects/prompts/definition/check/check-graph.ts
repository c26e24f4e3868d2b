import { forbiddenKeys } from "../../../../base/index.ts";
import { child, descend, isText, listedTexts, quoteList, textAt, type Complain, type SourceNode } from "../../../../source/index.ts";
import { idPattern, reservedIds } from "../graph/find-refs.ts";
import { graphNodes, waitingOf, wordsOf, type GraphFiles } from "../graph/graph-nodes.ts";
import { ancestorsOf, findCycles } from "../graph/order.ts";
import { checkNode } from "./check-node.ts";
import { checkNodeTexts } from "./check-node-texts.ts";
import { unknownNode, type Level, type NodesById } from "./graph-level.ts";

/** Ids, order, and what nodes say of each other. Finds all problems of a graph and of its groups. */
export function checkGraph(root: SourceNode, complain: Complain, files: Pick<GraphFiles, "prompts">): void {
  const inputs = child(root, "inputs")?.value;
  const none: NodesById = new Map();
  const returns = child(root, "returns");
  const level = {
    above: none,
    outside: none,
    inGroup: false,
    inputs: typeof inputs === "object" && inputs !== null ? Object.keys(inputs) : undefined,
    files,
  };
  const here = checkLevel(graphNodes(root), level, complain);
  if (isText(returns) && !here.has(returns.value)) complain(returns, unknownNode(returns.value, here.keys()));
}

function checkLevel(nodes: readonly SourceNode[], around: Omit<Level, "here" | "inGroups">, complain: Complain): NodesById {
  const here = new Map<string, SourceNode>();
  for (const node of nodes) {
    const id = child(node, "id");
    checkId(node, here, { around, complain });
    if (isText(id) && !here.has(id.value)) here.set(id.value, node);
  }
  const inner = (node: SourceNode): readonly string[] => graphNodes(child(node, "loop_group")).flatMap((each) => textAt(each, "id") ?? []);
  const inGroups = new Map([...here].flatMap(([id, node]) => inner(node).map((each) => [each, id] as const)));
  const level: Level = { ...around, here, inGroups };
  const waiting = [...here.values()].map(waitingOf);
  const ancestors = ancestorsOf(waiting);
  for (const node of nodes) {
    const before = ancestors(textAt(node, "id") ?? "");
    checkNode(node, complain);
    checkDependencies(node, here, complain);
    checkAncestors(node, { level, before, complain });
    const group = child(node, "loop_group");
    const above = new Map([...level.above, ...[...before].flatMap((id) => (here.has(id) ? [[id, here.get(id)!] as const] : []))]);
    const inside =
      group === undefined
        ? undefined
        : checkLevel(graphNodes(group), { ...around, above, outside: new Map([...around.outside, ...here]), inGroup: true }, complain);
    checkNodeTexts(node, { level, before: above, complain, ...(inside === undefined ? {} : { inside }) });
  }
  checkCycles(waiting, here, complain);
  return here;
}

/** The state refuses some keys. */
const reserved: readonly string[] = [...reservedIds, ...forbiddenKeys];

function checkId(
  node: SourceNode,
  here: NodesById,
  { around, complain }: { readonly around: Pick<Level, "outside">; readonly complain: Complain },
): void {
  const id = child(node, "id");
  if (!isText(id) || id.value === "") return;
  const { value } = id;
  if (!new RegExp(`^${idPattern}$`).test(value) || reserved.includes(value)) {
    const fix = `Use letters, digits, \`-\` and \`_\`, a letter or \`_\` first. ${quoteList(reserved, "and")} have a meaning of their own.`;
    complain(id, { code: "PROMPTS_BAD_NAME", message: `\`${value}\` cannot be the id of a node.`, fix });
  }
  const first = here.get(value) ?? around.outside.get(value);
  if (first === undefined) return;
  const { line } = first.file.placeOf(first.path, "value");
  const message = `Two nodes have the id \`${value}\`; the first is in line ${line}.`;
  complain(id, { code: "PROMPTS_DUPLICATE_NODE", message, fix: "Rename one of them, and the references to it." });
}

function checkDependencies(node: SourceNode, here: NodesById, complain: Complain): void {
  const id = textAt(node, "id");
  for (const each of listedTexts(node, "depends_on")) {
    if (each.value === id)
      complain(each, { code: "PROMPTS_NODE_CYCLE", message: `\`${id}\` waits for itself.`, fix: "Remove it from its own `depends_on`." });
    else if (!here.has(each.value))
      complain(
        each,
        unknownNode(
          each.value,
          [...here.keys()].filter((other) => other !== id),
        ),
      );
  }
}

function checkCycles(waiting: readonly ReturnType<typeof waitingOf>[], here: NodesById, complain: Complain): void {
  const order = [...here.keys()];
  const proper = waiting.map(({ id, dependsOn }) => ({ id, dependsOn: dependsOn.filter((each) => each !== id) }));
  for (const found of findCycles(proper)) {
    // Begins with the node that comes first in the file.
    const ring = found.slice(0, -1);
    const first = ring.reduce((best, id, at) => (order.indexOf(id) < order.indexOf(ring[best]!) ? at : best), 0);
    const way = [...ring.slice(first), ...ring.slice(0, first), ring[first]!];
    const node = here.get(way[0]!)!;
    const place = listedTexts(node, "depends_on").find(({ value }) => value === way[1]) ?? node;
    const message = `Nodes wait for each other in a circle: ${way.join(" → ")}.`;
    complain(place, { code: "PROMPTS_NODE_CYCLE", message, fix: "Remove one of them from the `depends_on` of another." });
  }
}

/** Nodes that a node names because they ran before it: whose session it copies, and which of them a rejection opens again. */
function checkAncestors(
  node: SourceNode,
  { level, before, complain }: { readonly level: Level; readonly before: ReadonlySet<string>; readonly complain: Complain },
): void {
  const { here } = level;
  const id = textAt(node, "id") ?? "";
  const resume = descend(node, ["context", "resume"]);
  const reopens = listedTexts(descend(node, ["approval", "on_reject"]), "reopens");
  for (const each of [...(isText(resume) ? [resume] : []), ...reopens]) {
    const target = here.get(each.value);
    if (target === undefined) complain(each, unknownNode(each.value, before));
    else if (!before.has(each.value))
      complain(each, {
        code: "PROMPTS_NOT_BEFORE",
        message: `\`${each.value}\` need not have run before \`${id}\`.`,
        fix: `Add \`${each.value}\` to the \`depends_on\` of \`${id}\`, or name one of the nodes that it waits for.`,
      });
    else if (each === resume && !wordsOf(target).some((word) => ["command", "prompt", "loop"].includes(word)))
      complain(each, {
        code: "PROMPTS_BAD_VALUE",
        message: `\`${each.value}\` has no session: it is a \`${wordsOf(target).join("` and `")}\` node.`,
        fix: `Name a node with ${quoteList(["prompt", "command", "loop"], "or")}.`,
      });
  }
}
