import { isList, isObject, regexText, type Json, shorten } from "../../base/index.ts";

/**
 * What keeps a value from being as expected, one sentence each. Maps need only the keys that are named; lists need the same length;
 * a text of the form `/pattern/` is a regular expression.
 */
export function differences(expected: Json, actual: Json | undefined, at: string): string[] {
  const pattern = patternOf(expected);
  if (pattern !== undefined) {
    const text = typeof actual === "string" ? actual : JSON.stringify(actual ?? null);
    return pattern.test(text) ? [] : [`${at} should match ${pattern.source}, but is ${shown(actual)}`];
  }
  if (isObject(expected)) {
    if (!isObject(actual)) return [`${at} should be a map, but is ${shown(actual)}`];
    return Object.entries(expected).flatMap(([key, value]) =>
      differences(value, Object.hasOwn(actual, key) ? actual[key] : undefined, `${at}.${key}`),
    );
  }
  if (isList(expected)) {
    if (!isList(actual)) return [`${at} should be a list, but is ${shown(actual)}`];
    if (actual.length !== expected.length)
      return [`${at} should have ${expected.length} entries, but has ${actual.length}: ${shown(actual)}`];
    return expected.flatMap((value, index) => differences(value, actual[index], `${at}[${index}]`));
  }
  return expected === actual ? [] : [`${at} should be ${shown(expected)}, but is ${shown(actual)}`];
}

/** `/text/` and `/text/i` as a regular expression; undefined for everything else, and for one that is not valid. */
export function patternOf(value: Json): RegExp | undefined {
  const [, source, flags] = typeof value === "string" ? (/^\/(.+)\/([imsu]*)$/s.exec(value) ?? []) : [];
  if (source === undefined) return undefined;
  try {
    return new RegExp(source, flags);
  } catch {
    return undefined;
  }
}

/** A command line or a step id against its pattern: word for word, `*` for anything, or `/regular expression/`. */
export function fitsText(pattern: string, text: string): boolean {
  const found = patternOf(pattern);
  if (found !== undefined) return found.test(text);
  if (!pattern.includes("*")) return pattern === text;
  return new RegExp(`^${pattern.split("*").map(regexText).join(".*")}$`, "s").test(text);
}

function shown(value: Json | undefined): string {
  return value === undefined ? "missing" : shorten(JSON.stringify(value), 160);
}
