// @ts-check
import { newId, offeredTool, parseArguments, plainText } from "./wire.mjs";

const usage = {
  input_tokens: 1,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 1,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 2,
};

/** Joins the namespace that Codex puts MCP tools into with the tool's own name; neither of them has this sign. */
const joint = "::";

/** OpenAI responses: Codex. @type {import("./wire.mjs").Wire} */
export const responses = {
  name: "responses",
  serves: (path) => path.endsWith("/responses"),
  streams: (_path, body) => body.stream === true,
  read: ({ input = [], tools = [], instructions = "" }) => ({
    system: [instructions, textOf(input, ["system", "developer"]), ...spaces(tools)].join("\n"),
    user: textOf(input, ["user"]),
    tools: tools.flatMap(toolsIn),
    turns: turnsOf(input),
  }),
  answer: (body, move) => {
    const items = [...(move.say === undefined ? [] : [messageItem(move.say)]), ...(move.call === undefined ? [] : [callItem(move.call)])];
    const whole = { id: newId("resp"), object: "response", created_at: 0, status: "completed", model: body.model, output: items, usage };
    const events = [
      { type: "response.created", response: { ...whole, status: "in_progress", output: [] } },
      ...items.flatMap((item, index) => [
        { type: "response.output_item.added", output_index: index, item: { ...item, status: "in_progress" } },
        { type: "response.output_item.done", output_index: index, item },
      ]),
      { type: "response.completed", response: whole },
    ];
    return { whole, chunks: events.map((event, index) => ({ event: event.type, data: { sequence_number: index, ...event } })) };
  },
};

/** Codex passes a server's instructions on as the description of its namespace. @param {any[]} tools @returns {string[]} */
function spaces(tools) {
  return tools.filter(({ type }) => type === "namespace").map(({ description }) => String(description ?? ""));
}

/** @param {any} tool @returns {import("./wire.mjs").OfferedTool[]} */
function toolsIn(tool) {
  if (tool.type !== "namespace") return [offeredTool(tool.name ?? tool.type, tool.description, tool.parameters)];
  return (tool.tools ?? []).map((/** @type {any} */ inner) =>
    offeredTool(`${tool.name}${joint}${inner.name}`, inner.description, inner.parameters),
  );
}

/** @param {string} text */
function messageItem(text) {
  const content = [{ type: "output_text", text, annotations: [] }];
  return { type: "message", id: newId("msg"), role: "assistant", status: "completed", content };
}

/** @param {{ name: string, args: Record<string, unknown> }} call */
function callItem({ name, args }) {
  const [space, own] = name.includes(joint) ? name.split(joint) : [undefined, name];
  return {
    type: "function_call",
    id: newId("fc"),
    call_id: newId("call"),
    name: own,
    ...(space === undefined ? {} : { namespace: space }),
    arguments: JSON.stringify(args),
    status: "completed",
  };
}

/** @param {any[]} input @param {string[]} roles */
function textOf(input, roles) {
  if (!Array.isArray(input)) return String(input);
  return input
    .filter(({ role }) => roles.includes(role))
    .map(({ content }) => plainText(content))
    .join("\n");
}

/** @param {any[]} input */
function turnsOf(input) {
  if (!Array.isArray(input)) return [];
  const results = new Map(
    input.filter(({ type }) => String(type).endsWith("_call_output")).map((item) => [item.call_id, plainText(item.output)]),
  );
  return input
    .filter(({ type }) => type === "function_call")
    .map((item) => ({ name: item.name, args: parseArguments(item.arguments), result: results.get(item.call_id) ?? "" }));
}
