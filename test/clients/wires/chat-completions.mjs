// @ts-check
import { newId, offeredTool, parseArguments, plainText } from "./wire.mjs";

const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };

/** OpenAI chat completions: Goose, opencode, Qwen Code, Copilot. @type {import("./wire.mjs").Wire} */
export const chatCompletions = {
  name: "chat completions",
  serves: (path) => path.endsWith("/chat/completions"),
  streams: (_path, body) => body.stream === true,
  read: ({ messages = [], tools = [] }) => ({
    system: textOf(messages, ["system", "developer"]),
    user: textOf(messages, ["user"]),
    tools: tools.map((/** @type {any} */ { function: tool }) => offeredTool(tool?.name, tool?.description, tool?.parameters)),
    turns: turnsOf(messages),
  }),
  answer: (body, move) => {
    const head = { id: newId("chat"), created: 0, model: body.model };
    const calls = move.call && [
      { id: newId("call"), type: "function", function: { name: move.call.name, arguments: JSON.stringify(move.call.args) } },
    ];
    const message = { role: "assistant", content: move.say ?? null, ...(calls ? { tool_calls: calls } : {}) };
    const delta = { ...message, ...(calls ? { tool_calls: calls.map((call, index) => ({ index, ...call })) } : {}) };
    const reason = calls ? "tool_calls" : "stop";
    const chunk = { ...head, object: "chat.completion.chunk" };
    return {
      whole: { ...head, object: "chat.completion", choices: [{ index: 0, message, finish_reason: reason }], usage },
      chunks: [
        { data: { ...chunk, choices: [{ index: 0, delta, finish_reason: null }] } },
        { data: { ...chunk, choices: [{ index: 0, delta: {}, finish_reason: reason }], usage } },
        { data: "[DONE]" },
      ],
    };
  },
};

/** @param {any[]} messages @param {string[]} roles */
function textOf(messages, roles) {
  return messages
    .filter(({ role }) => roles.includes(role))
    .map(({ content }) => plainText(content))
    .join("\n");
}

/** @param {any[]} messages */
function turnsOf(messages) {
  const results = new Map(
    messages.filter(({ role }) => role === "tool").map((message) => [message.tool_call_id, plainText(message.content)]),
  );
  return messages
    .flatMap(({ tool_calls = [] }) => tool_calls ?? [])
    .map((call) => ({ name: call.function.name, args: parseArguments(call.function.arguments), result: results.get(call.id) ?? "" }));
}
