import { editDistance, nearest } from "../../../../base/index.ts";
import {
  checkShape,
  child,
  didYouMean,
  keysOfShape,
  nearestNode,
  quoteList,
  type Complain,
  type ShapeCheck,
  type ShapeRules,
  type SourceNode,
  type Where,
} from "../../../../source/index.ts";
import { promptsShape } from "../shape/prompts-shape.ts";
import { steeringKeys, unusedKeys } from "../vocabulary.ts";

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
    nameAt: (path) => (path.length === 0 ? "a workflow" : typeof path.at(-1) === "number" ? "a step" : undefined),
    special(issue, path, check) {
      if (issue.code !== "unrecognized_keys") return false;
      for (const key of issue.keys) explainKey(check, path, key, unused);
      return true;
    },
  };
  checkShape(rules, root, complain);
  const [first] = unused;
  if (first === undefined) return;
  const names = [...new Set(unused.map(({ path }) => String(path.at(-1))))];
  const message = `Waymark does not use ${quoteList(names, "and")}.`;
  complain(first, { code: "PROMPTS_UNUSED_KEY", severity: "warning", message, fix: "Nothing needs to be done.", at: "key" });
}

/** A near miss of a key that steers the flow would change what runs; any other unknown key is left out. */
function explainKey({ root, complain }: ShapeCheck, path: Where, key: string, unused: SourceNode[]): void {
  const owner = nearestNode(root, path);
  const node = child(owner, key) ?? owner;
  if (unusedKeys.has(key)) {
    unused.push(node);
    return;
  }
  const known = keysOfShape(promptsShape, path, root.value);
  const steering = nearest(key, steeringKeys, 1).filter((each) => isNearMiss(key, each));
  const message = `\`${key}\` is not a key of ${path.length === 0 ? "a workflow" : typeof path.at(-1) === "number" ? "a step" : `\`${String(path.at(-1))}\``}.`;
  const fix = didYouMean(key, steering) ?? didYouMean(key, known) ?? `Allowed here: ${quoteList(known, "and")}.`;
  complain(node, { code: "PROMPTS_UNKNOWN_KEY", severity: steering.length > 0 ? "error" : "warning", message, fix, at: "key" });
}

/** Short names are a near miss only by one letter. */
export function isNearMiss(name: string, known: string): boolean {
  return editDistance(name.toLowerCase(), known.toLowerCase()) <= (name.length < 5 ? 1 : 2);
}
