import { defined } from "../../base/index.ts";
import type { Finding, Region, Suppression } from "../../ports/index.ts";
import { absent, Damage } from "./json/damage.ts";
import { fieldsOf, objectAt, objectsAt, textAt, wholeAt, wrong, type Fields } from "./json/fields.ts";
import { jsonParts } from "./json/json-parts.ts";
import type { Wanted } from "./json/wanted.ts";
import { parseErrorRule, placing, unnamedRule, wellFormed, type Placing } from "./placing.ts";
import type { Reading, Unplaced } from "./reading.ts";

const messages: Wanted = { items: { take: "message" } };

/** One message at a time: `source` and `output`, which repeat whole files, are passed over. */
const wanted: Wanted = {
  needed: "a list of files (`[`)",
  items: {
    needed: "an object for a file",
    ends: "file",
    keys: {
      filePath: { take: "path" },
      messages: { ...messages, needed: "a list of messages", begins: "messages" },
      suppressedMessages: messages,
    },
  },
};

/** Reads the JSON of ESLint's formatter `json`. */
export async function* readEslint(text: AsyncIterable<string>, reading: Reading): AsyncGenerator<Finding | Unplaced, void, undefined> {
  const place = placing(reading);
  let path: string | undefined;
  let hasMessages = false;
  // Messages of a file whose name has not come yet.
  let waiting: Fields[] = [];
  for await (const part of jsonParts(text, wanted)) {
    if (part.name === "path") {
      if (typeof part.value !== "string") throw wrong({ ...part, value: {}, path: "" }, "", "the path of a file", part.value);
      path = part.value;
    } else if (part.name === "messages") hasMessages = true;
    else if (part.name === "message") {
      const message = fieldsOf(part);
      if (path === undefined) waiting.push(message);
      else yield findingOf(message, path, place);
    } else {
      if (path === undefined) throw new Damage("`filePath` for each file", part.at, absent);
      if (!hasMessages) throw new Damage("`messages` for each file", part.at, absent);
      for (const message of waiting) yield findingOf(message, path, place);
      [path, hasMessages, waiting] = [undefined, false, []];
    }
  }
}

function findingOf(fields: Fields, path: string, place: Placing): Finding | Unplaced {
  const message = textAt(fields, "message");
  if (message === undefined) throw wrong(fields, ".message", "a text", fields.value["message"]);
  const isFatal = fields.value["fatal"] === true;
  const line = wholeAt(fields, "line", 1);
  const said = {
    rule: textAt(fields, "ruleId") ?? (isFatal ? parseErrorRule : unnamedRule),
    severity: severityOf(fields, isFatal),
    message,
    suppressed: suppressionOf(fields),
  };
  // A message about no line says something about the run ("File ignored ..."), unless it is why the file could not be read.
  const named = (line === undefined && !isFatal) || /^<\w+>$/.test(path) ? undefined : path;
  return place(said, { named, region: regionOf(fields, line ?? 1), fix: fixOf(fields) });
}

function severityOf(fields: Fields, isFatal: boolean): Finding["severity"] {
  const number = wholeAt(fields, "severity", 0);
  if (number === undefined && !isFatal) throw wrong(fields, ".severity", "1 or 2", fields.value["severity"]);
  return number === 2 || isFatal ? "error" : "warning";
}

function regionOf(fields: Fields, line: number): Region {
  const column = wholeAt(fields, "column", 1);
  if (column === undefined) return { line };
  const endLine = wholeAt(fields, "endLine", line);
  const endColumn = endLine === undefined ? undefined : wholeAt(fields, "endColumn", 1);
  return endLine === undefined || endColumn === undefined ? { line, column } : { line, column, endLine, endColumn };
}

/** Ranges do not count a byte order mark. An edit of the mark itself is none of the text, so there is no fix then. */
function fixOf(fields: Fields): Finding["fix"] {
  const fix = objectAt(fields, "fix");
  if (fix === undefined) return undefined;
  const text = textAt(fix, "text") ?? "";
  const range = fix.value["range"];
  const [start, end] = Array.isArray(range) ? (range as unknown[]) : [];
  if (typeof start !== "number" || typeof end !== "number") throw wrong(fix, ".range", "a list of two numbers", range);
  const isUsable = Number.isSafeInteger(start) && Number.isSafeInteger(end) && start >= 0 && end >= start;
  if (!isUsable || text !== wellFormed(text) || text.includes("\uFEFF")) return undefined;
  return [{ region: { offset: start, length: end - start, unit: "utf16" }, text }];
}

function suppressionOf(fields: Fields): Suppression | undefined {
  const [first] = objectsAt(fields, "suppressions");
  if (first === undefined) return undefined;
  const reason = textAt(first, "justification");
  const kind = textAt(first, "kind") === "directive" ? "in_source" : "external";
  return { kind, ...defined({ reason: reason === undefined || reason === "" ? undefined : wellFormed(reason) }) };
}
