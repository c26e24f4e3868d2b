import { nearest } from "../../../../base/index.ts";
import {
  child,
  didYouMean,
  entriesOf,
  has,
  isText,
  membersOf,
  quoteList,
  type Complain,
  type SourceNode,
} from "../../../../source/index.ts";
import { allGraphNodes, commandOf } from "../graph/graph-nodes.ts";
import { isName, promptOf, stepNodes } from "../references.ts";
import { knownAgents, messageInput, stepWords } from "../vocabulary.ts";
import { isNearMiss } from "./check-prompts-shape.ts";

/** What the shape of a file cannot say: its form, names, providers, and keys that do not go together. `agents` are known beside Waymark's own. */
export function checkPrompts(root: SourceNode, complain: Complain, agents: readonly string[]): void {
  checkForm(root, complain);
  const nodes = allGraphNodes(root);
  checkName(child(root, "name"), complain);
  checkDescription(child(root, "description"), complain);
  for (const step of membersOf(child(root, "steps"))) {
    checkStepForm(step, complain);
    for (const member of membersOf(child(step, "parallel"))) checkMember(member, complain);
  }
  for (const node of nodes) checkName(commandOf(node), complain);
  for (const step of stepNodes(root)) checkName(promptOf(step), complain);
  for (const step of [...stepNodes(root), ...nodes])
    for (const artifact of membersOf(child(step, "artifacts"))) checkArtifact(artifact, complain);
  checkSizes([root, ...stepNodes(root), ...nodes], complain);
  for (const node of [root, ...stepNodes(root), ...nodes]) checkProvider(child(node, "provider"), complain, [...knownAgents, ...agents]);
}

/** A size is a model only for an agent whose entry names one for it; it is said once for each file. */
function checkSizes(nodes: readonly SourceNode[], complain: Complain): void {
  const sizes = nodes.map((node) => child(node, "model")).filter(isText);
  const found = sizes.filter(({ value }) => /^(?:small|medium|large)$|^@/.test(value));
  const [first] = found;
  if (first === undefined) return;
  const names = [...new Set(found.map(({ value }) => value))];
  const [are, them] = names.length === 1 ? ["is not the name of a model", "it"] : ["are not names of models", "them"];
  complain(first, {
    code: "PROMPTS_SIZE",
    severity: "warning",
    message: `${quoteList(names, "and")} ${are}: each agent has for ${them} what its entry in the configuration says, else its usual model.`,
    fix: `Say which model it is below \`agents\`, such as \`claude: { models: { ${JSON.stringify(names[0])}: <model> } }\`, or leave it at the usual one.`,
  });
}

function checkForm(root: SourceNode, complain: Complain): void {
  const [steps, loop, prompt, nodes] = ["steps", "loop", "prompt", "nodes"].map((key) => child(root, key));
  const refuse = (node: SourceNode, message: string, fix: string): void =>
    complain(node, { code: "PROMPTS_ONE_FORM", message, fix, at: "key" });
  for (const key of nodes === undefined ? ["inputs", "returns"] : []) {
    const node = child(root, key);
    if (node !== undefined) refuse(node, `\`${key}\` has a meaning only beside \`nodes\`.`, "Remove it.");
  }
  if (nodes !== undefined) {
    const others = [steps, loop, prompt].filter((each) => each !== undefined);
    const message = "A workflow has only one of `steps`, `loop` and `nodes`.";
    if (others.length > 0) refuse(nodes, message, `Remove ${quoteList(["nodes", String(others[0]!.path.at(-1))], "or")}.`);
  } else if (steps !== undefined && loop !== undefined) refuse(loop, "A workflow has either `steps` or a `loop`.", "Remove one of them.");
  else if (steps === undefined && loop === undefined && prompt === undefined)
    complain(root, {
      code: "PROMPTS_MISSING_KEY",
      message: "A workflow needs `steps`, `nodes`, or `loop` and `prompt`.",
      fix: "Add `steps:`.",
    });
  else if (loop !== undefined && prompt === undefined)
    refuse(loop, "A `loop` needs a `prompt`.", "Add `prompt:` with what each round is asked.");
  else if (prompt !== undefined && loop === undefined)
    refuse(prompt, "A `prompt` of a workflow belongs to a `loop`.", "Add `loop:`, or make it a step.");
}

function checkMember(member: SourceNode, complain: Complain): void {
  checkStepForm(member, complain, true);
  const context = child(member, "context");
  if (context?.value !== "last") return;
  const message = "A member of `parallel` has no conversation to continue: each begins a fresh one.";
  complain(context, { code: "PROMPTS_ONE_FORM", message, fix: "Remove `context: last`." });
}

function checkStepForm(step: SourceNode, complain: Complain, inside = false): void {
  const words = stepWords.filter((word) => has(step, word));
  const keys = entriesOf(step).map(([key]) => key);
  const refuse = (node: SourceNode, message: string, fix: string): void => complain(node, { code: "PROMPTS_ONE_FORM", message, fix });
  // A misspelt word is complained about where it is.
  const misspelt = keys.some((key) => !stepWords.some((word) => word === key) && stepWords.some((word) => isNearMiss(key, word)));
  if (words.length === 0) {
    if (!misspelt)
      complain(step, { code: "PROMPTS_MISSING_KEY", message: "A step needs `step`.", fix: "Add `step:` with the name of its prompt." });
    return;
  }
  if (words.length > 1) return refuse(step, `A step has only one of ${quoteList(words, "and")}.`, "Make each of them a step of its own.");
  const [word = "step"] = words;
  if (inside && (word === "parallel" || word === "workflow")) return;
  const plain = word === "step" || word === "command";
  const allowed = plain ? undefined : word === "parallel" ? [word] : [word, "input", "with"];
  const odd = plain ? keys.filter((key) => key === "input" || key === "with") : keys.filter((key) => !allowed?.includes(key));
  for (const key of odd) {
    const message = `\`${key}\` has no meaning beside \`${word}\`.`;
    complain(child(step, key) ?? step, { code: "PROMPTS_ONE_FORM", message, fix: "Remove it.", at: "key" });
  }
  const message = child(child(step, "with"), messageInput);
  if (message !== undefined && has(step, "input"))
    complain(message, {
      code: "PROMPTS_ONE_FORM",
      message: `\`input\` and \`${messageInput}\` of \`with\` say the same thing.`,
      fix: "Remove one of them.",
      at: "key",
    });
  if (has(step, "context") && has(step, "clearContext"))
    refuse(child(step, "context") ?? step, "`context` and `clearContext` say the same thing.", "Remove one of them.");
}

/** Names become names of files, and a router writes them down: nothing in them may mean something else there. */
function checkName(node: SourceNode | undefined, complain: Complain): void {
  if (!isText(node) || node.value === "" || isName(node.value.replaceAll(":", "-"))) return;
  const message = `\`${node.value}\` cannot be a name.`;
  complain(node, { code: "PROMPTS_BAD_NAME", message, fix: "Use letters, digits, `-`, `_` and `.`, without spaces, separators or `..`." });
}

function checkDescription(node: SourceNode | undefined, complain: Complain): void {
  if (!isText(node) || node.value === "" || node.value.trim() !== "") return;
  complain(node, {
    code: "PROMPTS_BAD_VALUE",
    message: "`description` must not be empty.",
    fix: "Write what the workflow does and when to use it.",
  });
}

function checkArtifact(node: SourceNode, complain: Complain): void {
  if (!isText(node)) return;
  const names = node.value.split(/[\\/]/);
  if (!/^(?:[\\/]|[A-Za-z]:)/.test(node.value) && !names.includes("..") && !node.value.includes("{{")) return;
  const message = `The artifact \`${node.value}\` is not in the run's folder for artifacts.`;
  complain(node, { code: "PROMPTS_BAD_NAME", message, fix: "Name a file relative to that folder, such as `plan.md`." });
}

function checkProvider(node: SourceNode | undefined, complain: Complain, known: readonly string[]): void {
  if (!isText(node) || known.includes(node.value)) return;
  const close = nearest(node.value, known, 1).filter((each) => isNearMiss(node.value, each));
  const message = `Waymark knows no agent \`${node.value}\`.`;
  const fix = didYouMean(node.value, close) ?? `Configure it before a run is driven, or use one of ${quoteList(known, "and")}.`;
  complain(node, { code: "PROMPTS_UNKNOWN_PROVIDER", severity: close.length > 0 ? "error" : "warning", message, fix });
}
