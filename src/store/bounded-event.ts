import { isList, isObject, markedCut, type Json } from "../base/index.ts";
import type { TranscriptEntry } from "../ports/index.ts";

/** Characters of JSON that an input or an output of a tool may have, and each text in one that has more. */
const most = 16_000;
const mostInText = 2_000;

/** The event as it is kept: a large input or output of a tool is cut, and says so where it is. */
export function boundedEvent(event: TranscriptEntry["event"]): TranscriptEntry["event"] {
  if (event.type !== "tool") return event;
  return {
    ...event,
    ...(event.input === undefined ? {} : { input: bounded(event.input) }),
    ...(event.output === undefined ? {} : { output: bounded(event.output) }),
  };
}

/** Long texts are cut first, so that a path or a command beside them stays; if that is not enough, the whole becomes a cut text. */
function bounded(value: Json): Json {
  const whole = JSON.stringify(value);
  if (whole.length <= most) return value;
  if (typeof value === "string") return markedCut(value, most);
  const shorter = withShortTexts(value);
  return JSON.stringify(shorter).length <= most ? shorter : markedCut(whole, most);
}

function withShortTexts(value: Json): Json {
  if (typeof value === "string") return markedCut(value, mostInText);
  if (isList(value)) return value.map(withShortTexts);
  return isObject(value) ? Object.fromEntries(Object.entries(value).map(([key, held]) => [key, withShortTexts(held)])) : value;
}
