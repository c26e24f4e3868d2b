// @ts-check
import { newId, offeredTool, parseArguments, plainText } from "./wire.mjs";

const usage = { input_tokens: 1, output_tokens: 1 };

/** Anthropic messages: Claude Code. @type {import("./wire.mjs").Wire} */
export const messages = {
  name: "messages",
  serves: (path) => path.endsWith("/messages"),
  streams: (_path, body) => body.stream === true,
  read: ({ system = "", messages: said = [], tools = [] }) => {
    const blocks = said.flatMap((/** @type {any} */ { role, content }) => partsOf(content).map((part) => ({ ...part, role })));
    return {
      system: plainText(system),
      user: blocks
        .filter((/** @type {any} */ part) => part.role !== "assistant" && part.type === "text")
        .map((/** @type {any} */ part) => part.text)
        .join("\n"),
      tools: tools.map((/** @type {any} */ tool) => offeredTool(tool.name, tool.description, tool.input_schema)),
      turns: turnsOf(blocks),
    };
  },
  answer: (body, move) => {
    const content = [
      ...(move.say === undefined ? [] : [{ type: "text", text: move.say }]),
      ...(move.call === undefined ? [] : [{ type: "tool_use", id: newId("toolu"), name: move.call.name, input: move.call.args }]),
    ];
    const head = { id: newId("msg"), type: "message", role: "assistant", model: body.model, stop_sequence: null, usage };
    const reason = move.call === undefined ? "end_turn" : "tool_use";
    const events = [
      { type: "message_start", message: { ...head, content: [], stop_reason: null } },
      ...content.flatMap(blockEvents),
      { type: "message_delta", delta: { stop_reason: reason, stop_sequence: null }, usage },
      { type: "message_stop" },
    ];
    return { whole: { ...head, content, stop_reason: reason }, chunks: events.map((event) => ({ event: event.type, data: event })) };
  },
};

/** @param {any} block @param {number} index */
function blockEvents(block, index) {
  const isText = block.type === "text";
  const empty = isText ? { ...block, text: "" } : { ...block, input: {} };
  const delta = isText ? { type: "text_delta", text: block.text } : { type: "input_json_delta", partial_json: JSON.stringify(block.input) };
  return [
    { type: "content_block_start", index, content_block: empty },
    { type: "content_block_delta", index, delta },
    { type: "content_block_stop", index },
  ];
}

/** @param {any} content @returns {any[]} */
function partsOf(content) {
  return typeof content === "string" ? [{ type: "text", text: content }] : (content ?? []);
}

/** @param {any[]} blocks */
function turnsOf(blocks) {
  const results = new Map(
    blocks.filter(({ type }) => type === "tool_result").map((block) => [block.tool_use_id, plainText(block.content)]),
  );
  return blocks
    .filter(({ type }) => type === "tool_use")
    .map((block) => ({ name: block.name, args: parseArguments(block.input), result: results.get(block.id) ?? "" }));
}
