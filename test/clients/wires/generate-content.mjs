// @ts-check
import { offeredTool, parseArguments, plainText } from "./wire.mjs";

/** Gemini generateContent: Gemini CLI. @type {import("./wire.mjs").Wire} */
export const generateContent = {
  name: "generateContent",
  serves: (path) => /:(?:stream)?generateContent$/i.test(path),
  streams: (path) => /:streamGenerateContent$/i.test(path),
  read: ({ systemInstruction, contents = [], tools = [] }) => {
    const parts = contents.flatMap((/** @type {any} */ { role, parts: held = [] }) =>
      held.map((/** @type {any} */ part) => ({ ...part, role })),
    );
    return {
      system: plainText(systemInstruction?.parts),
      user: parts
        .filter((/** @type {any} */ part) => part.role !== "model" && typeof part.text === "string")
        .map((/** @type {any} */ part) => part.text)
        .join("\n"),
      tools: tools
        .flatMap((/** @type {any} */ tool) => tool.functionDeclarations ?? [])
        .map((/** @type {any} */ tool) => offeredTool(tool.name, tool.description, tool.parametersJsonSchema ?? tool.parameters)),
      turns: turnsOf(parts),
    };
  },
  answer: (_body, move) => {
    const parts = [
      ...(move.say === undefined ? [] : [{ text: move.say }]),
      ...(move.call === undefined ? [] : [{ functionCall: { name: move.call.name, args: move.call.args } }]),
    ];
    const whole = {
      candidates: [{ index: 0, content: { role: "model", parts }, finishReason: "STOP" }],
      usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
      modelVersion: "scripted",
    };
    return { whole, chunks: [{ data: whole }] };
  },
};

/** Results come in the order of the calls; they carry no id of their own here. @param {any[]} parts */
function turnsOf(parts) {
  const results = parts.filter((part) => part.functionResponse !== undefined).map((part) => responseText(part.functionResponse.response));
  return parts
    .filter((part) => part.functionCall !== undefined)
    .map((part, index) => ({ name: part.functionCall.name, args: parseArguments(part.functionCall.args), result: results[index] ?? "" }));
}

/** @param {any} response */
function responseText(response) {
  return typeof response?.output === "string" ? response.output : plainText(response);
}
