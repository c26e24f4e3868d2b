import { editDistance, own } from "../../../../base/index.ts";
import {
  checkShape,
  child,
  didYouMean,
  flagAt,
  has,
  keysOfShape,
  nearestNode,
  quoteList,
  type Complain,
  type ShapeCheck,
  type ShapeRules,
  type SourceNode,
  type Where,
} from "../../../../source/index.ts";
import { nodeShape } from "../shape/node-shape.ts";
import { promptsShape, stepShape } from "../shape/prompts-shape.ts";
import { allGraphNodes } from "../graph/graph-nodes.ts";
import { droppedKeys, graphKeys, graphSteeringKeys, otherWords, steeringKeys, unusedKeys } from "../vocabulary.ts";

/** Compares a file with the shape of a chain. Keys of other tools are named once, together. */
export function checkPromptsShape(root: SourceNode, complain: Complain): void {
  const unused: SourceNode[] = [];
  const rules: ShapeRules = {
    shape: promptsShape,
    codes: {
      unknownKey: "PROMPTS_UNKNOWN_KEY",
      missingKey: "PROMPTS_MISSING_KEY",
      wrongType: "PROMPTS_WRONG_TYPE",
      badValue: "PROMPTS_BAD_VALUE",
      unknownWord: () => "PROMPTS_BAD_VALUE",
    },
    nameAt: nameOf,
    special(issue, path, check) {
      if (issue.code === "invalid_union") return explainContext(check, path);
      if (issue.code !== "unrecognized_keys") return false;
      for (const key of issue.keys) explainKey(check, path, key, unused);
      return true;
    },
  };
  checkShape(rules, root, complain);
  const held = new Set(droppedKeys.flatMap(({ keys }) => keys));
  const complainOf = (nodes: readonly SourceNode[], code: string, rest: { readonly means?: string; readonly fix: string }): void => {
    const [first] = nodes;
    if (first === undefined) return;
    const names = quoteList([...new Set(nodes.map(keyOf))], "and");
    const message = `Waymark does not use ${names}${rest.means === undefined ? "" : `: ${rest.means}`}.`;
    complain(first, { code, severity: "warning", message, fix: rest.fix, at: "key" });
  };
  for (const { keys, means, fix } of droppedKeys)
    complainOf(
      unused.filter((node) => keys.includes(keyOf(node))),
      "PROMPTS_DROPPED_KEY",
      { means, fix },
    );
  const others = unused.filter((node) => !held.has(keyOf(node)) && !isOfQuestions(node, root));
  complainOf(others, "PROMPTS_UNUSED_KEY", { fix: "Nothing needs to be done." });
}

function keyOf({ path }: SourceNode): string {
  return String(path.at(-1));
}

/** In Archon `interactive` of a file lets its nodes ask, which they always may here. */
function isOfQuestions(node: SourceNode, root: SourceNode): boolean {
  if (node.path.length !== 1 || keyOf(node) !== "interactive") return false;
  return allGraphNodes(root).some(
    (each) => has(each, "approval") || ["loop", "loop_group"].some((word) => flagAt(child(each, word), "interactive")),
  );
}

/** What is at a path. */
function nameOf(path: Where): string | undefined {
  if (path.length === 0) return "a workflow";
  if (typeof path.at(-1) !== "number") return undefined;
  return path.at(-2) === "nodes" ? "a node" : path.at(-2) === "decisions" ? "a decision" : "a step";
}

/** A word in the place of a node's context, which is a word or a map. */
function explainContext({ root, complain }: ShapeCheck, path: Where): boolean {
  const node = nearestNode(root, path);
  if (path.at(-1) !== "context" || path.at(-3) !== "nodes" || typeof node.value !== "string") return false;
  const message = `\`nodes[${String(path.at(-2))}].context\` is \`${node.value}\`, which is not one of \`fresh\`, \`shared\` and \`{ resume: <id> }\`.`;
  const fix = "Begin with `fresh`, continue with `shared`, or copy with `{ resume: <id> }`.";
  complain(node, { code: "PROMPTS_BAD_VALUE", message, fix });
  return true;
}

/** A near miss of a key that steers the flow would change what runs; any other unknown key is left out. */
function explainKey({ root, complain }: ShapeCheck, path: Where, key: string, unused: SourceNode[]): void {
  const owner = nearestNode(root, path);
  const node = child(owner, key) ?? owner;
  if (unusedKeys.has(key) || droppedKeys.some(({ keys }) => keys.includes(key))) {
    unused.push(node);
    return;
  }
  const known = keysOfShape(promptsShape, path, root.value);
  const inGraph = path[0] === "nodes";
  const steers = steeringKeyLike(key, known, inGraph ? graphSteeringKeys : steeringKeys);
  const where = nameOf(path) ?? `\`${String(path.at(-1))}\``;
  const elsewhere = steers === undefined || known.includes(steers) ? undefined : elsewhereFix(steers, inGraph);
  const fix =
    elsewhere ??
    meant(own(otherWords, key)) ??
    didYouMean(
      key,
      known.filter((each) => isNearMiss(key, each)),
    ) ??
    meant(steers) ??
    `Allowed here: ${quoteList(known, "and")}.`;
  const severity = steers === undefined ? "warning" : "error";
  complain(node, { code: "PROMPTS_UNKNOWN_KEY", severity, message: `\`${key}\` is not a key of ${where}.`, fix, at: "key" });
}

/** The key that decides what runs and that was meant, one that is allowed here first. */
function steeringKeyLike(key: string, known: readonly string[], steering: readonly string[]): string | undefined {
  const other = own(otherWords, key);
  if (other !== undefined || steering.includes(key)) return other ?? key;
  const like = steering.filter(
    (each) => isNearMiss(key, each) || (key.length >= 5 && each.startsWith(key)) || (each === "until" && key.startsWith(each)),
  );
  const distance = (each: string): number => editDistance(key.toLowerCase(), each.toLowerCase()) + (known.includes(each) ? 0 : key.length);
  return like.toSorted((one, other) => distance(one) - distance(other))[0];
}

function meant(key: string | undefined): string | undefined {
  return key === undefined ? undefined : `Did you mean \`${key}\`?`;
}

function elsewhereFix(key: string, inGraph: boolean): string {
  if (inGraph)
    return Object.hasOwn(nodeShape.shape, key)
      ? `\`${key}\` belongs to a node: write it beside \`id\`.`
      : `\`${key}\` has its place elsewhere: remove it here.`;
  return graphKeys.includes(key)
    ? `\`${key}\` belongs to the nodes of a graph: steps run in their order.`
    : key !== "parallel" && Object.hasOwn(stepShape.shape, key)
      ? `\`${key}\` belongs to a step: write it in each step that it is for.`
      : `\`${key}\` has its place elsewhere: remove it here.`;
}

/** Short names are a near miss only by one letter. */
export function isNearMiss(name: string, known: string): boolean {
  return editDistance(name.toLowerCase(), known.toLowerCase()) <= (name.length < 5 ? 1 : 2);
}
