import { defined, type Json, type JsonObject, type Place } from "../../../base/index.ts";
import { programVersion, type BlockId, type DoBlock, type Expr, type Part, type Program, type Write } from "../../../program/index.ts";
import { condition, createSheet, engineBlock, value, type BlockSheet } from "../../../source/index.ts";
import type { BotDefinition } from "./bot-definition.ts";

/** Worklists of a bot: its behaviours with their actions, and everything that was started or completed. */
export const botLists = { actions: "actions", activity: "activity" } as const;

/** What is kept of a record: the files as they were written, and what was found in their place. */
const recorded = { "raw.bot_files": "{{ result.files }}", "raw.bot_problems": "{{ result.problems }}" } as const;

const botInputs: Part["inputs"] = {
  project_area: {
    type: "string",
    required: false,
    default: "",
    description: "Folder of the workspace that the state and the log are kept in; asked for when it is not given.",
  },
  scope: { type: "object", required: false, default: {}, description: "Limits the work; shown with every action." },
};

type Builder = BlockSheet & { readonly definition: BotDefinition };

/**
 * Behaviours in order, and in each its actions in order. An action is recorded as started before its instructions are handed out,
 * and as completed when its work was reported and, unless it continues on its own, a person said that it is done.
 */
export function lowerBot(definition: BotDefinition, place: Place): Program {
  const sheet = createSheet(place);
  const builder: Builder = { ...sheet, definition };
  const part: Part = {
    name: definition.name,
    dialect: "bots",
    description: definition.description,
    version: "1.0.0",
    inputs: botInputs,
    config: { bot: definition as unknown as Json },
    defaults: {
      raw: {
        project_area: "{{ inputs.project_area }}",
        bot_files: {},
        bot_problems: [],
        bot_confirmations: {},
        bot_kept: {},
        bot_interrupted: null,
      },
      state: {},
    },
    fields: { raw: {}, state: {} },
    computed: [],
    root: root(builder),
    entries: {
      // Outside of the sequence: it is recorded like any other and never changes the place.
      independent: {
        root: sheet.put({ id: "independent", kind: "seq", blocks: perform(builder, "independent", [act(builder, "independent")]) }),
        by: "anyone",
        main: "goes_on",
      },
      jump: { root: jump(builder), by: "anyone", main: "goes_on" },
    },
    worklists: [
      { id: botLists.actions, facets: ["kind", "behaviour"] },
      { id: botLists.activity, facets: ["state"] },
    ],
    rules: [],
    tracking: {},
    onResume: { retryFailedSteps: true, skipCompletedSteps: true, resetErrorCounts: false, load: [], exclude: [] },
  };
  return {
    version: programVersion,
    name: definition.name,
    dialect: "bots",
    main: definition.name,
    parts: { [definition.name]: part },
    blocks: sheet.blocks,
    places: sheet.places,
  };
}

/** `writes`: state paths and what of the result goes there. */
function engine(
  { put }: Builder,
  { id, what }: Pick<DoBlock, "id" | "what">,
  args: Readonly<Record<string, string>>,
  { writes = {}, ...as }: { readonly as?: string; readonly writes?: Readonly<Record<string, string>> } = {},
): BlockId {
  const written = Object.entries(writes).map(([path, of]): Write => {
    const op = path.endsWith("confirmations") ? "merge" : "set";
    return { path: { as: "path", of: path }, op, value: value(of) };
  });
  return put(engineBlock(id, what, valuesOf(args), { writes: written, ...as }));
}

function valuesOf(args: JsonObject): Readonly<Record<string, Expr>> {
  return Object.fromEntries(Object.entries(args).map(([name, of]) => [name, value(of)]));
}

/** A question to a person. */
function question(
  { put }: Builder,
  id: BlockId,
  prompt: string,
  { writes = [], ask, ...more }: Pick<DoBlock, "ask"> & Partial<Pick<DoBlock, "writes" | "as" | "name">>,
): BlockId {
  return put({ id, kind: "do", who: "person", what: "ask", args: { prompt: value(prompt) }, writes, ...more, ...defined({ ask }) });
}

function root(builder: Builder): BlockId {
  const { definition, put } = builder;
  const blocks: BlockId[] = [];
  if (definition.choosesArea === undefined) {
    const name = definition.name.replaceAll("{{", "{ {");
    const prompt = `Which folder is the project area of ${name}? It will hold workflow_state.json and activity_log.json.`;
    const ask = question(builder, "project_area", prompt, {
      writes: [{ path: { as: "path", of: "raw.project_area" }, op: "set" }],
      ask: { answerBy: "relay", pattern: "^(?!\\s*$).+", patternMessage: "Name a folder inside the workspace.", attempts: 5 },
    });
    blocks.push(put({ id: "project_area.choose", kind: "choose", branches: [{ when: condition("raw.project_area == ''"), then: ask }] }));
  }
  const begun = {
    "raw.bot_problems": "{{ result.problems }}",
    "raw.bot_kept": "{{ result.kept }}",
    "raw.bot_interrupted": "{{ result.interrupted }}",
  };
  blocks.push(engine(builder, { id: "begin", what: "bot_begin" }, {}, { writes: begun }));
  const actions = put({
    id: "actions",
    kind: "work",
    list: botLists.actions,
    where: { parent: value("{{ item.id }}") },
    mode: "each",
    join: "all",
    body: actionBody(builder),
  });
  const close = engine(builder, { id: "behaviour.close", what: "bot_behaviour_done" }, { item: "{{ item }}" });
  const behaviour = put({ id: "behaviour", kind: "seq", blocks: [actions, close] });
  blocks.push(
    put({ id: "behaviours", kind: "work", list: botLists.actions, query: { parent: null }, mode: "each", join: "all", body: behaviour }),
  );
  return put({ id: "main", kind: "seq", blocks });
}

/** An action is done by the agent, or by a workflow that runs in its place. */
function actionBody(builder: Builder): BlockId {
  const { definition, put } = builder;
  const called = definition.behaviours.flatMap(({ name, actions }) =>
    actions.flatMap(({ calls, ...action }) =>
      calls === undefined ? [] : [{ id: `${name}.${action.name}`, calls, inputs: action.inputs }],
    ),
  );
  const branches = called.map(({ id, calls, inputs }, index) => {
    const prefix = `called${index}`;
    const call = put({ id: `${prefix}.call`, kind: "call", part: calls, inputs: valuesOf(inputs), as: prefix });
    const args = { item: "{{ item }}", workflow: calls };
    const report = engine(builder, { id: `${prefix}.report`, what: "bot_called" }, args, { as: "report" });
    return { when: condition(`item.id == ${JSON.stringify(id)}`), then: settled(builder, prefix, [call, report]) };
  });
  const byAgent = settled(builder, "agent", [act(builder, "agent")]);
  return branches.length === 0 ? byAgent : put({ id: "action", kind: "choose", branches, otherwise: byAgent });
}

/** One that continues on its own, and one that a person must call done. */
function settled(builder: Builder, prefix: string, work: readonly BlockId[]): BlockId {
  const { put, blocks, definition } = builder;
  // A block has one parent: what is done in two places is there twice.
  const copies = work.flatMap((id, index) => (blocks[id] === undefined ? [] : [put({ ...blocks[id], id: `${prefix}.auto.${index}` })]));
  const auto = put({ id: `${prefix}.auto`, kind: "seq", blocks: perform(builder, `${prefix}.auto`, copies) });
  const ask = question(builder, `${prefix}.done`, "{{ submitted.question }}", {
    as: "verdict",
    name: { as: "text", of: "{{ item.id }}" },
    ask: {
      answerBy: definition.doneBy,
      options: [
        { value: "done", label: "Done: go on" },
        { value: "redo", label: "Not done: do it again" },
      ],
    },
  });
  const steps = perform(builder, prefix, work);
  const record = steps.pop() ?? "";
  const leave = put({ id: `${prefix}.leave`, kind: "leave", how: "break" });
  const closed = put({ id: `${prefix}.closed`, kind: "seq", blocks: [record, leave] });
  const judge = put({ id: `${prefix}.judge`, kind: "choose", branches: [{ when: condition("verdict != 'redo'"), then: closed }] });
  const round = put({ id: `${prefix}.round`, kind: "seq", blocks: [...steps, ask, judge] });
  const manual = put({ id: `${prefix}.manual`, kind: "repeat", max: 1_000, onLimit: "fail", body: round });
  return put({ id: prefix, kind: "choose", branches: [{ when: condition("item.auto == true"), then: auto }], otherwise: manual });
}

/** Recorded as started, done, its content written, and recorded as completed. */
function perform(builder: Builder, prefix: string, work: readonly BlockId[]): BlockId[] {
  const item = "{{ item }}";
  const report = "{{ report }}";
  const done = { item, report, submitted: "{{ submitted }}", state: "completed", started: "{{ started }}" };
  return [
    engine(builder, { id: `${prefix}.start`, what: "bot_record" }, { item, state: "started" }, { as: "started", writes: recorded }),
    ...work,
    engine(
      builder,
      { id: `${prefix}.submit`, what: "bot_submit" },
      { item, report },
      { as: "submitted", writes: { "raw.project_area": "{{ result.area }}" } },
    ),
    engine(builder, { id: `${prefix}.complete`, what: "bot_record" }, done, { as: "recorded", writes: recorded }),
  ];
}

function act({ put }: Builder, prefix: string): BlockId {
  return put({
    id: `${prefix}.act`,
    kind: "do",
    who: "agent",
    what: "bot_action",
    args: { item: value("{{ item }}") },
    writes: [],
    name: { as: "text", of: "{{ item.id }}" },
    as: "report",
    whenLost: "ask",
  });
}

/** Another place is chosen by a person; what is passed over keeps the decision as its reason, what is behind is open again. */
function jump(builder: Builder): BlockId {
  const { put } = builder;
  const ask = question(builder, "jump.ask", "{{ question }}", {
    as: "go",
    ask: {
      answerBy: "person",
      options: [
        { value: "go", label: "Go there" },
        { value: "stay", label: "Stay here" },
      ],
    },
  });
  const to = { to: "{{ to }}", question: "{{ question }}" };
  const move = engine(builder, { id: "jump.move", what: "bot_jump" }, to, {
    writes: { "raw.bot_confirmations": "{{ result.confirmation }}" },
  });
  const chosen = put({ id: "jump.choose", kind: "choose", branches: [{ when: condition("go == 'go'"), then: move }] });
  return put({ id: "jump", kind: "seq", blocks: [ask, chosen] });
}
