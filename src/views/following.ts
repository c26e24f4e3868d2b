import { textOf, type JsonObject } from "../base/index.ts";

/** A call that an agent is asked to make. */
export interface CallSpec {
  readonly tool: string;
  readonly arguments: JsonObject;
}

/** A call for later: making it at once would repeat what failed, confirm what nobody has seen, or ask again and again. */
export interface LaterCall extends CallSpec {
  readonly when: string;
}

/** What follows a reply. `next_call` is safe as it is: without what `fill_in` names it reports nothing. */
export interface Following {
  readonly next_call?: CallSpec;
  /** Arguments that the call still needs, with what belongs there. */
  readonly fill_in?: JsonObject;
  /** Instead of `next_call`, or for the end of what that call begins. */
  readonly later?: LaterCall;
}

export function callText(call: CallSpec): string {
  return `${call.tool}(${JSON.stringify(call.arguments)})`;
}

/** The lines that say what follows; none when nothing does. `word` comes before a call that is made now. */
export function followingText({ next_call: next, fill_in: fill = {}, later }: Following, word = "Then call"): readonly string[] {
  const filled = Object.entries(fill).map(([name, what]) => ` with \`${name}\`: ${textOf(what)}`);
  return [
    ...(next === undefined ? [] : [`${word} ${callText(next)}${filled.join(",")}`]),
    ...(later === undefined ? [] : [`Call ${callText(later)}${next === undefined ? filled.join(",") : ""} ${later.when}.`]),
  ];
}

export function followingData({ next_call: next, fill_in: fill, later }: Following): JsonObject {
  return {
    ...(next === undefined ? {} : { next_call: { tool: next.tool, arguments: next.arguments } }),
    ...(fill === undefined ? {} : { fill_in: fill }),
    ...(later === undefined ? {} : { later: { when: later.when, tool: later.tool, arguments: later.arguments } }),
  };
}
