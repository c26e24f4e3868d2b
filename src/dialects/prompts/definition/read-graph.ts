import { defined, isObject, own, type Json } from "../../../base/index.ts";
import type { InputSpec } from "../../../program/index.ts";
import {
  child,
  descend,
  entriesOf,
  flagAt,
  has,
  listedTexts,
  membersOf,
  numberAt,
  textAt,
  typeWords,
  type DocumentPath,
  type SourceNode,
  type WorkflowInfo,
} from "../../../source/index.ts";
import { findRefs, readText, type TextKind } from "./graph/find-refs.ts";
import { allGraphNodes, graphNodes, namedScript, scriptFiles, waitingOf, wordsOf, type GraphFiles } from "./graph/graph-nodes.ts";
import { nodeTexts } from "./graph/node-texts.ts";
import { sessionsBefore } from "./graph/order.ts";
import { parseCondition } from "./graph/parse-condition.ts";
import {
  triggerRules,
  type CallInput,
  type GraphNode,
  type GraphText,
  type LoopEnd,
  type NodeContext,
  type NodeWork,
  type RoundBefore,
} from "./graph-definition.ts";
import type { PromptsDefinition } from "./prompts-definition.ts";
import { readAgent } from "./read-agent.ts";
import { joinWords, lostWords } from "./shape/node-shape.ts";
import { messageInput, mostAttempts, mostParallel } from "./vocabulary.ts";

interface Reading {
  readonly files: GraphFiles;
  /** What is known of called workflows. */
  readonly called: Readonly<Record<string, Pick<WorkflowInfo, "inputs">>>;
}

/** A graph without errors. */
export function readGraph(root: SourceNode, reading: Reading): Pick<PromptsDefinition, "nodes" | "inputs" | "returns"> {
  return {
    nodes: readNodes(graphNodes(root), reading, { prefix: "" }),
    inputs: readInputs(root, reading.files),
    ...defined({ returns: textAt(root, "returns") }),
  };
}

/** Those that are declared; of a file that declares none those that its texts name, as required ones. */
function readInputs(root: SourceNode, files: GraphFiles): Readonly<Record<string, InputSpec>> {
  if (has(root, "inputs"))
    return Object.fromEntries(
      entriesOf(child(root, "inputs")).map(([name, node]) => {
        const preset = child(node, "default")?.value;
        const type = typeWords.find((word) => word === textAt(node, "type")) ?? "any";
        const required = flagAt(node, "required") ?? preset === undefined;
        return [name, { type, required, ...defined({ default: preset, description: textAt(node, "description") }) }];
      }),
    );
  const names = allGraphNodes(root).flatMap((node) => [
    ...nodeTexts(node, files).flatMap((text) => findRefs(text.node.value, text.kind).map(({ ref }) => ref)),
    ...(readWhen(node)?.anyOf.flat() ?? []).map(({ ref }) => ref),
  ]);
  return Object.fromEntries(names.flatMap((ref) => ("input" in ref ? [[ref.input, { type: "any", required: true }]] : [])));
}

interface Around {
  /** What comes before ids in the names of blocks. */
  readonly prefix: string;
  /** Of a group whose rounds continue each other. */
  readonly round?: RoundBefore;
  /** What the group says for all of its nodes. */
  readonly provider?: string;
  readonly model?: string;
}

function readNodes(nodes: readonly SourceNode[], reading: Reading, around: Around): readonly GraphNode[] {
  const { before } = sessionsBefore(nodes.map(waitingOf), around.round !== undefined);
  return nodes.map((node) => {
    const { id, dependsOn } = waitingOf(node);
    const block = `${around.prefix}${id}`;
    const { provider, model } = around;
    const agent = { ...defined({ provider, model }), ...readAgent(node) };
    return {
      id,
      block,
      dependsOn: [...new Set(dependsOn)],
      rule: triggerRules.find((rule) => rule === textAt(node, "trigger_rule")) ?? "all_success",
      alwaysRun: flagAt(node, "always_run") === true,
      context: readContext(node, before.get(id)?.of ?? [], before.get(id)?.round === true ? around.round : undefined),
      ...defined({
        when: readWhen(node),
        returns: readSchema(node),
        timeoutMs: numberAt(node, "timeout"),
        whenLost: lostWords.find((word) => word === textAt(node, "on_lost")),
      }),
      ...agent,
      does: readWork(node, reading, { prefix: `${block}/`, ...defined({ provider: agent.provider, model: agent.model }) }),
    };
  });
}

/** Nodes that are not for an agent have no session to continue, and the first round of a loop begins fresh. */
function readContext(node: SourceNode, of: readonly string[], round: RoundBefore | undefined): NodeContext {
  if (!wordsOf(node).some((word) => word === "prompt" || word === "command")) return { kind: "fresh" };
  const copied = textAt(child(node, "context"), "resume");
  if (copied !== undefined) return { kind: "fork", of: copied };
  const begins = textAt(node, "context") === "fresh" || (of.length === 0 && round === undefined);
  return begins ? { kind: "fresh" } : { kind: "last", of, ...defined({ round }) };
}

function readWhen(node: SourceNode): GraphNode["when"] {
  const read = parseCondition(textAt(node, "when") ?? "");
  return "anyOf" in read ? read : undefined;
}

function readSchema(node: SourceNode): GraphNode["returns"] {
  const schema = child(node, "output_format")?.value;
  return schema !== undefined && isObject(schema) ? schema : undefined;
}

function readWork(node: SourceNode, reading: Reading, around: Around): NodeWork {
  const { files } = reading;
  const text = (path: DocumentPath, kind: TextKind = "prose"): GraphText => readText(written(node, path), kind);
  const [word] = wordsOf(node);
  switch (word) {
    case "command":
      return { kind: "prompt", ...promptFrom(node, files) };
    case "bash":
      return { kind: "shell", command: text(["bash"], "shell") };
    case "script":
      return readScript(node, files);
    case "loop":
      return { kind: "loop", ...promptFrom(child(node, "loop")!, files), ...readEnd(child(node, "loop")!) };
    case "loop_group": {
      return readGroup(child(node, "loop_group")!, reading, around);
    }
    case "approval":
      return readApproval(child(node, "approval")!);
    case "cancel":
      return { kind: "cancel", reason: text(["cancel"]) };
    case "include":
    case "workflow":
      return readCall(node, word, reading);
    default:
      return { kind: "prompt", prompt: text(["prompt"]) };
  }
}

function readGroup(group: SourceNode, reading: Reading, around: Around): NodeWork {
  const nodes = graphNodes(group);
  const end = readEnd(group);
  if (end.freshContext) return { kind: "group", nodes: readNodes(nodes, reading, around), ...end };
  const { after: said } = sessionsBefore(nodes.map(waitingOf), true);
  const round = { group: around.prefix.slice(0, -1), of: said.of };
  return { kind: "group", nodes: readNodes(nodes, reading, { ...around, round }), ...end, said };
}

function written(node: SourceNode, path: DocumentPath): string {
  const value = descend(node, path)?.value;
  return typeof value === "string" ? value : "";
}

/** The prompt that is written there, or that of the file that is named there. */
function promptFrom(node: SourceNode, { prompts }: GraphFiles): { readonly prompt: GraphText; readonly command?: string } {
  const command = textAt(node, "command");
  if (command === undefined) return { prompt: readText(textAt(node, "prompt") ?? "", "prose") };
  return { prompt: readText(own(prompts, command)?.text ?? "", "prose"), command };
}

function readScript(node: SourceNode, { scripts }: GraphFiles): NodeWork {
  const runtime = textAt(node, "runtime") === "uv" ? "uv" : "bun";
  const deps = listedTexts(node, "deps").map((each) => each.value);
  if (namedScript(node) === undefined) return { kind: "script", code: readText(textAt(node, "script") ?? "", "code"), runtime, deps };
  const file = own(scripts, scriptFiles(node)[0] ?? "");
  return { kind: "script", code: { text: file?.text ?? "", refs: [] }, runtime, ...defined({ file: file?.path }), deps };
}

function readEnd(loop: SourceNode): LoopEnd {
  const [bash, gate] = [textAt(loop, "until_bash"), textAt(loop, "gate_message")];
  const asks = flagAt(loop, "interactive") === true;
  return {
    maxIterations: numberAt(loop, "max_iterations") ?? 1,
    freshContext: flagAt(loop, "fresh_context") === true,
    ...defined({
      until: textAt(loop, "until"),
      untilBash: bash === undefined ? undefined : readText(bash, "shell"),
      untilField: textAt(loop, "until_field"),
      gate: asks && gate !== undefined ? readText(gate, "prose") : undefined,
      signalCompletes: asks ? flagAt(loop, "signal_completes") === true : undefined,
    }),
  };
}

function readApproval(approval: SourceNode): NodeWork {
  const reject = child(approval, "on_reject");
  const prompt = textAt(reject, "prompt");
  const decisions = membersOf(child(approval, "decisions")).map((each) => ({
    id: textAt(each, "id") ?? "",
    ...defined({ label: textAt(each, "label") }),
  }));
  return {
    kind: "approval",
    message: readText(textAt(approval, "message") ?? "", "prose"),
    captureResponse: flagAt(approval, "capture_response") === true,
    ...defined({
      decisions: decisions.length === 0 ? undefined : decisions,
      onReject:
        reject === undefined
          ? undefined
          : {
              ...defined({ prompt: prompt === undefined ? undefined : readText(prompt, "prose") }),
              reopens: listedTexts(reject, "reopens").map((each) => each.value),
              maxAttempts: numberAt(reject, "max_attempts") ?? mostAttempts,
            },
    }),
  };
}

function readCall(node: SourceNode, word: "include" | "workflow", { called }: Reading): NodeWork {
  const workflow = textAt(node, word) ?? "";
  const fan = child(node, "fan_out");
  // Of several calls each item is what is asked for.
  const input = fan === undefined ? textAt(node, "input") : undefined;
  // What is put in here is part of this workflow, and is asked for the same.
  const needed = word === "include" && own(called, workflow)?.inputs[messageInput]?.required === true;
  const message = input ?? (needed ? "$ARGUMENTS" : undefined);
  const given = entriesOf(child(node, "with")).map(([name, { value }]) => [name, callInput(value)] as const);
  const takesMessage = own(called, workflow)?.inputs[messageInput] !== undefined;
  return {
    kind: "call",
    workflow,
    include: word === "include",
    inputs: { ...(message === undefined ? {} : { [messageInput]: callInput(message) }), ...Object.fromEntries(given) },
    ...(textAt(node, "isolation") === "worktree" ? { apart: true } : {}),
    ...(fan === undefined
      ? {}
      : {
          fanOut: {
            items: readText(textAt(fan, "items") ?? "", "prose"),
            as: textAt(fan, "as") || messageInput,
            asked: takesMessage && given.every(([name]) => name !== messageInput),
            maxParallel: numberAt(fan, "max_parallel") ?? mostParallel,
            join: joinWords.find((each) => each === textAt(fan, "join")) ?? "all_done",
          },
        }),
  };
}

function callInput(value: Json): CallInput {
  return typeof value === "string" ? { text: readText(value, "prose") } : { value };
}
