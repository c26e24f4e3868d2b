// @ts-check
/**
 * One way to speak to a model over HTTP. All of them are read into the same conversation and answered with the same moves.
 *
 * @typedef {import("../scripted-agent.mjs").Conversation} Conversation
 * @typedef {import("../scripted-agent.mjs").Move} Move
 * @typedef {import("../scripted-agent.mjs").OfferedTool} OfferedTool
 * @typedef {{ event?: string, data: unknown }} Chunk
 * @typedef {{ whole: unknown, chunks: Chunk[] }} Answer the answer at once, and the same as a stream
 * @typedef {object} Wire
 * @property {string} name
 * @property {(path: string) => boolean} serves
 * @property {(path: string, body: any) => boolean} streams
 * @property {(body: any) => Conversation} read
 * @property {(body: any, move: Move) => Answer} answer
 */

let made = 0;

/** @param {string} kind */
export function newId(kind) {
  made += 1;
  return `${kind}_${made}`;
}

/** Content as text: it comes as text, or as a list of parts. @param {any} content @returns {string} */
export function plainText(content) {
  if (typeof content === "string") return content;
  if (content === undefined || content === null) return "";
  if (!Array.isArray(content)) return JSON.stringify(content);
  return content
    .map((part) => (typeof part === "string" ? part : typeof part?.text === "string" ? part.text : JSON.stringify(part)))
    .join("\n");
}

/** @param {unknown} text @returns {Record<string, unknown>} */
export function parseArguments(text) {
  if (typeof text !== "string") return typeof text === "object" && text !== null ? /** @type {Record<string, unknown>} */ (text) : {};
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

/** @param {unknown} name @param {unknown} description @param {unknown} parameters @returns {OfferedTool} */
export function offeredTool(name, description, parameters) {
  return { name: String(name), description: typeof description === "string" ? description : "", parameters: parseArguments(parameters) };
}
