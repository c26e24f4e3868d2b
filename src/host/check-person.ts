import { isList, isObject, nearest } from "../base/index.ts";
import { isWord, type EntryProblem } from "./check-setting.ts";
import type { PersonConfig } from "./settings.ts";

const rights: readonly string[] = ["start", "decide", "clone"];

const expected: Readonly<Record<string, string>> = {
  name: "a text",
  may: "a list with some of `start`, `decide` and `clone`",
};

/** `<platform>:<id>`, with the id as the platform has it. */
export function isPersonId(name: string): boolean {
  return /^[a-z][a-z0-9_-]{0,31}:[^\p{C}\p{Z}]{1,200}$/u.test(name);
}

/** A person's entry of a configuration file, or everything that is wrong with it. */
export function checkPerson(
  id: string,
  given: unknown,
): { readonly value?: Omit<PersonConfig, "from">; readonly problems: readonly EntryProblem[] } {
  if (!isObject(given)) return { problems: [{ expected: "a map with `name` and `may`" }] };
  const { name = id, may } = given;
  const problems: EntryProblem[] = Object.keys(given)
    .filter((key) => !Object.hasOwn(expected, key))
    .map((key) => ({ key, unknown: nearest(key, Object.keys(expected)) }));
  const wrong = (key: string, what = expected[key]!): number => problems.push({ key, expected: what });
  if (!isWord(name)) wrong("name");
  const isRights = isList(may) && may.every((right) => rights.includes(right as string));
  if (!isRights) wrong("may");
  else if (id.startsWith("test:") && may.some((right) => right !== "start"))
    wrong("may", "`[start]` or empty, since nobody proves who they are to the test adapter");
  return problems.length > 0 ? { problems } : { value: { name: name as string, may: may as unknown as PersonConfig["may"] }, problems };
}
