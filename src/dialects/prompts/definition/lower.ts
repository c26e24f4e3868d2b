import { defined, own, type Json, type Place } from "../../../base/index.ts";
import {
  programVersion,
  type BlockId,
  type DoBlock,
  type Expr,
  type InputSpec,
  type Program,
  type Rescue,
} from "../../../program/index.ts";
import { condition, createSheet, engineBlock, taskArgs, value, type BlockSheet } from "../../../source/index.ts";
import { graphPlaces, graphState, graphWishes, returned } from "./graph-state.ts";
import { lowerNodes } from "./lower-graph.ts";
import { setBlock } from "./node-blocks.ts";
import { artifactsFolder, type PromptStep, type PromptsDefinition } from "./prompts-definition.ts";
import { graphTexts } from "./graph/graph-texts.ts";
import { usualOf } from "./usual-of.ts";
import { messageInput, mostWords } from "./vocabulary.ts";

const message = value(`{{ inputs.${messageInput} }}`);
const uuid = "{{ run_uuid }}";

/** What prompts can name. */
const variables: Readonly<Record<string, Expr>> = {
  WORKFLOW_ID: value(uuid),
  USER_MESSAGE: message,
  ARGUMENTS: message,
  ARTIFACTS_DIR: value("{{ raw.artifacts_dir }}"),
  ...Object.fromEntries(Array.from({ length: mostWords }, (_, at) => [String(at + 1), value(`{{ raw.words[${at}] }}`)])),
};

const readsMessage = new RegExp(`(?<!\\\\)\\$(?:USER_MESSAGE|ARGUMENTS|[1-${mostWords}])(?![A-Za-z0-9_])`);

const isMessage = (name: string): boolean => readsMessage.test(`$${name}`);

/** The one input of every chain. It must be given where a prompt names it. */
export function messageSpec(definition: PromptsDefinition | undefined): InputSpec {
  const reads =
    definition?.steps.some(
      ({ prompt = "", workflow }) => readsMessage.test(prompt) || readsMessage.test(JSON.stringify(workflow ?? "")),
    ) === true || graphTexts(definition?.nodes ?? []).some(({ refs }) => refs.some((ref) => "variable" in ref && isMessage(ref.variable)));
  const description = "What you want, in your own words.";
  return reads ? { type: "string", required: true, description } : { type: "string", required: false, default: "", description };
}

/** The folder for artifacts, then the steps one after the other. A step that fails fails the run, and a retry continues with it. */
export function lowerPrompts(definition: PromptsDefinition, place: Place, nodePlaces: Readonly<Record<string, Place>> = {}): Program {
  const sheet = createSheet(place);
  const { put, blocks, places } = sheet;
  const { nodes } = definition;
  const begin = put({
    ...engineBlock("$begin", "prompts_begin", {
      folder: value(artifactsFolder(uuid)),
      message,
      ...(nodes && graphWishes(definition, nodes)),
    }),
    writes: [
      { path: { as: "path", of: "raw.artifacts_dir" }, op: "set", value: value("{{ result.folder }}") },
      { path: { as: "path", of: "raw.words" }, op: "set", value: value("{{ result.words }}") },
      ...(nodes === undefined ? [] : graphPlaces),
    ],
  });
  const work = workOf(definition, sheet);
  const root = put({ id: "$steps", kind: "seq", blocks: [begin, ...work] });
  const { name, description, version } = definition;
  return {
    version: programVersion,
    name,
    dialect: "prompts",
    main: name,
    parts: {
      [name]: {
        name,
        dialect: "prompts",
        description,
        version,
        inputs: inputsOf(definition),
        config: { prompts: definition as unknown as Json },
        defaults: {
          raw: {
            artifacts_dir: "",
            words: [],
            ...(definition.loop === undefined ? {} : { done: false, output: "" }),
            ...(nodes === undefined ? {} : graphState(nodes)),
          },
          state: {},
        },
        fields: { raw: {}, state: {} },
        computed: [],
        root,
        entries: {},
        worklists: [],
        rules: [],
        tracking: {},
        onResume: { retryFailedSteps: true, skipCompletedSteps: true, resetErrorCounts: false, load: [], exclude: [] },
      },
    },
    blocks,
    places: Object.fromEntries(Object.keys(places).map((id) => [id, placeOfBlock(id, nodePlaces) ?? place])),
  };
}

/** That of its node; what an `include` puts in is where that is written. */
function placeOfBlock(id: BlockId, places: Readonly<Record<string, Place>>): Place | undefined {
  const [node = ""] = id.split("$");
  const outer = node.lastIndexOf("/");
  return own(places, node) ?? (outer < 0 ? undefined : placeOfBlock(node.slice(0, outer), places));
}

/** What a workflow is given: the message, and what its graph declares. */
export function inputsOf(definition: PromptsDefinition): Readonly<Record<string, InputSpec>> {
  const context: InputSpec = {
    type: "string",
    required: false,
    default: "",
    description: "What else agents should know; it is added to every prompt.",
  };
  const own = definition.nodes === undefined ? {} : { context, ...definition.inputs };
  return { [messageInput]: messageSpec(definition), ...own };
}

function workOf(definition: PromptsDefinition, sheet: BlockSheet): readonly BlockId[] {
  const { nodes, loop } = definition;
  if (nodes !== undefined) {
    const graph = {
      ...sheet,
      scope: { keys: {}, inputs: Object.keys(definition.inputs ?? {}).filter((name) => name !== messageInput) },
      reopening: new Set<string>(),
      reopenedBy: () => [],
      beside: {},
      usual: usualOf(definition),
      uuid,
      lowerNodes,
    };
    return [lowerNodes("$nodes", nodes, graph), sheet.put(setBlock("$returned", [returned(definition, nodes)]))];
  }
  return loop === undefined ? lowerSteps(definition, sheet) : [lowerLoop(definition, sheet)];
}

/** Members of a `parallel` entry are the items of one work: the step behind it waits for all of them. */
function lowerSteps(definition: PromptsDefinition, sheet: BlockSheet): readonly BlockId[] {
  const { steps } = definition;
  return steps.flatMap(({ beside }, at) => {
    if (beside === undefined) return [lowerStep(definition, at, sheet)];
    return steps[at - 1]?.beside === beside ? [] : [lowerBeside(definition, at, sheet)];
  });
}

/** One that fails stops no other one: all come to their end, then the run fails, and a retry does again what failed. */
function lowerBeside(definition: PromptsDefinition, first: number, sheet: BlockSheet): BlockId {
  const { steps } = definition;
  const { put } = sheet;
  const id = steps[first]!.beside!;
  const members = steps.filter(({ beside }) => beside === id);
  const text = `Steps ${first + 1}-${first + members.length}/${steps.length}: ${members.map(({ name }) => name).join(", ")}`;
  const ids = members.map(({ name, block }) => (members.filter((each) => each.name === name).length === 1 ? name : block));
  return put({
    id,
    kind: "work",
    fill: value(ids.map((each) => ({ id: each }))),
    unit: "step",
    mode: "strands",
    join: "all",
    onItemFailure: { retries: 0, then: "fail_at_end" },
    body: put({ id: `${id}$none`, kind: "seq", blocks: [] }),
    bodies: Object.fromEntries(ids.map((each, at) => [each, lowerStep(definition, first + at, sheet)])),
    label: { kind: "steps", text },
  });
}

function lowerStep(definition: PromptsDefinition, at: number, { put }: BlockSheet): BlockId {
  const step = definition.steps[at]!;
  const label = { kind: "step", text: `Step ${at + 1}/${definition.steps.length}: ${step.name}` };
  if (step.workflow !== undefined) {
    const inputs = Object.entries(step.workflow.inputs).map(([name, given]) => [name, filledValue(given)] as const);
    return put({ id: step.block, kind: "call", part: step.workflow.name, inputs: Object.fromEntries(inputs), as: step.block, label });
  }
  return put({ ...taskBlock(definition, step, value(step.context)), what: "task", label });
}

/** Rounds of one prompt. The leaf looks for the signal in the answer and says whether it was there. */
function lowerLoop(definition: PromptsDefinition, { put }: BlockSheet): BlockId {
  const [step] = definition.steps;
  const { until, maxIterations, freshContext } = definition.loop!;
  const context = value(freshContext ? "fresh" : "{{ iteration === 1 ? 'fresh' : 'last' }}");
  const task = taskBlock(definition, step!, context);
  const round = put({
    ...task,
    what: "prompts_round",
    args: { ...task.args, signal: value(until) },
    writes: [
      { path: { as: "path", of: "raw.output" }, op: "set", value: value("{{ result.output }}") },
      { path: { as: "path", of: "raw.done" }, op: "set", value: value("{{ result.done }}") },
    ],
  });
  return put({
    id: "$rounds",
    kind: "repeat",
    max: maxIterations,
    onLimit: "fail",
    lacks: `\`${until}\``,
    until: condition("{{ raw.done }}"),
    body: round,
  });
}

function taskBlock(definition: PromptsDefinition, step: PromptStep, context: Expr): DoBlock {
  const { block, prompt = "", onLostContext, artifacts, tools, idleMs, retry } = step;
  const args = taskArgs({
    prompt: { as: "filled", of: prompt, with: variables },
    context,
    ...defined({
      onLostContext,
      artifacts: artifacts?.map((path) => `${artifactsFolder(uuid)}/${path}`),
      permission: step.permission,
      agent: step.provider,
      model: step.model,
      usual: usualOf(definition),
      tools,
      idleMs,
      retryOn: retry?.on,
    }),
  });
  const rescue: Rescue | undefined = retry && {
    retry: { times: retry.times, delayMs: retry.delayMs, factor: 2, capMs: retry.delayMs * 2 ** retry.times },
    then: "fail",
  };
  // The name that agents see, also where a step occurs twice or is inside a called workflow.
  return { id: block, kind: "do", who: "agent", what: "", args, writes: [], name: value(step.name), ...defined({ rescue }) };
}

/** Placeholders in what a workflow is given are filled in as in prompts. */
function filledValue(given: Json): Expr {
  return typeof given === "string" ? { as: "filled", of: given, with: variables } : value(given);
}
