// @ts-check
/**
 * What a model can know of a Waymark reply: the words the client passes on. Some clients pass the text, some the structured part, some
 * both, and some put a frame around them.
 *
 * @typedef {{ tool: string, arguments: Record<string, unknown> }} Call
 * @typedef {object} Reply
 * @property {"text" | "structured" | "both" | "none"} shown which part of the reply reached the model
 * @property {string} [step] id of the step to do
 * @property {string} [type] its type
 * @property {Record<string, unknown>} definition what the step works on
 * @property {string} [message] the same where it is one plain text
 * @property {Call} [next] the call that the reply asks for
 * @property {Call} [later] the call for when what the reply names is there
 * @property {boolean} taskDone a task has ended
 * @property {string} [problem] code of an error
 */

/**
 * The text wins where both parts are shown; the structured part is read only where there is no text.
 *
 * @param {string} words
 * @returns {Reply}
 */
export function readReply(words) {
  const data = findObject(words, isReplyData);
  const text = readText(words);
  if (text !== undefined) return { ...text, shown: data === undefined ? "text" : "both" };
  if (data !== undefined) return { ...readData(data), shown: "structured" };
  return { shown: "none", definition: {}, taskDone: false };
}

/** Told from the arguments and definitions that the text holds as JSON too. @param {Record<string, unknown>} found */
function isReplyData(found) {
  if (["next_call", "later", "workflows"].some((key) => Object.hasOwn(found, key))) return true;
  const { error, run_id: run, status } = found;
  return asObject(error)?.["code"] !== undefined || (run !== undefined && status !== undefined && Object.keys(found).length > 2);
}

/** @param {string} words @returns {Omit<Reply, "shown"> | undefined} */
function readText(words) {
  const step = /^Step (\S+) \((\w+)\) of \S+\n.+\n([^]*?)\nThen call /m.exec(words);
  const problem = /^([A-Z]+_[A-Z_]+): .+\nDo this: /m.exec(words);
  const ended = /^Task `[^`]+` is \w+\. You are done/m.test(words);
  const plain = /^(?:Next: |Call \w+\(|Run \S+ is completed\. Final state:|\d+ workflows?:$)/m.test(words);
  if (step === null && problem === null && !ended && !plain) return undefined;
  const next = readCall(words, /^(?:Then call|Next:) (\w+)\(/gm);
  const later = readCall(words, /^Call (\w+)\(/gm);
  const [, id, type, body = ""] = step ?? [];
  return {
    ...(id === undefined ? {} : { step: id }),
    ...(type === undefined ? {} : { type }),
    definition: body.startsWith("{") ? (findObject(body, () => true) ?? {}) : {},
    message: body,
    ...(next === undefined ? {} : { next }),
    ...(later === undefined ? {} : { later }),
    taskDone: ended,
    ...(problem?.[1] === undefined ? {} : { problem: problem[1] }),
  };
}

/** The last call that the text names so, with its arguments. @param {string} words @param {RegExp} form @returns {Call | undefined} */
function readCall(words, form) {
  const [found] = [...words.matchAll(form)].toReversed();
  if (found?.[1] === undefined) return undefined;
  const args = findObject(words.slice(found.index + found[0].length), () => true);
  return args === undefined ? undefined : { tool: found[1], arguments: args };
}

/** @param {Record<string, unknown>} data @returns {Omit<Reply, "shown">} */
function readData(data) {
  const step = asObject(data["step"]);
  const next = callIn(data["next_call"]);
  const later = callIn(data["later"]);
  const error = asObject(data["error"]);
  const definition = asObject(step?.["definition"]) ?? {};
  return {
    ...(typeof step?.["id"] === "string" ? { step: step["id"] } : {}),
    ...(typeof step?.["type"] === "string" ? { type: step["type"] } : {}),
    definition,
    message: typeof definition["message"] === "string" ? definition["message"] : JSON.stringify(definition),
    ...(next === undefined ? {} : { next }),
    ...(later === undefined ? {} : { later }),
    taskDone: data["status"] === "task_done",
    ...(typeof error?.["code"] === "string" ? { problem: error["code"] } : {}),
  };
}

/** @param {unknown} value @returns {Call | undefined} */
function callIn(value) {
  const call = asObject(value);
  return typeof call?.["tool"] === "string" ? { tool: call["tool"], arguments: asObject(call["arguments"]) ?? {} } : undefined;
}

/** @param {unknown} value @returns {Record<string, unknown> | undefined} */
function asObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? /** @type {Record<string, unknown>} */ (value) : undefined;
}

/**
 * The first JSON object in the words that is wanted, at any depth: clients wrap results in objects and lists of their own.
 *
 * @param {string} words
 * @param {(found: Record<string, unknown>) => boolean} wanted
 * @returns {Record<string, unknown> | undefined}
 */
export function findObject(words, wanted) {
  for (let start = words.indexOf("{"); start >= 0; start = words.indexOf("{", start + 1)) {
    const end = endOfObject(words, start);
    if (end === undefined) continue;
    const found = within(parsed(words.slice(start, end)), wanted);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** @param {unknown} value @param {(found: Record<string, unknown>) => boolean} wanted @returns {Record<string, unknown> | undefined} */
function within(value, wanted) {
  const object = asObject(value);
  if (object !== undefined && wanted(object)) return object;
  if (typeof value !== "object" || value === null) return undefined;
  for (const entry of Object.values(value)) {
    const found = within(entry, wanted);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** @param {string} text @returns {unknown} */
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Where the object that begins at `start` ends, by counting braces outside of strings. @param {string} words @param {number} start */
function endOfObject(words, start) {
  let [depth, inString] = [0, false];
  for (let at = start; at < words.length; at += 1) {
    const char = words[at];
    if (inString && char === "\\") at += 1;
    else if (char === '"') inString = !inString;
    else if (!inString && char === "{") depth += 1;
    else if (!inString && char === "}" && --depth === 0) return at + 1;
  }
  return undefined;
}
