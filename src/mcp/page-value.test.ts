import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isList, isObject, readPath, type Json } from "../base/index.ts";
import { costOf, keysOf, pageValue, pathText, totalOf, type Paged } from "./page-value.ts";

const json = fc.jsonValue({ maxDepth: 5 }).map((value) => JSON.parse(JSON.stringify(value)) as Json);
const large = fc
  .array(fc.tuple(fc.string({ maxLength: 60 }), fc.oneof(json, fc.string({ unit: "binary", maxLength: 900 }), fc.array(json))), {
    minLength: 1,
    maxLength: 40,
  })
  .map((entries) => Object.fromEntries(entries) as Json);
const rooms = fc.integer({ min: 0, max: 3000 });

/** Whether what is shown is the whole but for what `cuts` says is missing, and nothing else is in it. */
function isBeginning(whole: Json, { shown, cuts }: Paged, keys: readonly (string | number)[] = []): boolean {
  const cut = cuts.find((entry) => pathText(entry.keys) === pathText(keys));
  const missing = (cut?.total ?? totalOf(whole)) - (cut?.from ?? totalOf(whole));
  if (typeof whole === "string" && typeof shown === "string")
    return whole.startsWith(shown) && whole.length - shown.length === missing && (cut === undefined || cut.total === whole.length);
  if (isList(whole) && isList(shown))
    return whole.length - shown.length === missing && shown.every((entry, at) => below(whole[at] ?? null, entry, cuts, [...keys, at]));
  if (isObject(whole) && isObject(shown)) {
    const first = Object.entries(whole).slice(0, Object.keys(shown).length);
    return (
      Object.keys(whole).length - first.length === missing &&
      first.every(([key, held]) => Object.hasOwn(shown, key) && below(held, shown[key] ?? null, cuts, [...keys, key]))
    );
  }
  return whole === shown;
}

function below(whole: Json, shown: Json, cuts: Paged["cuts"], keys: readonly (string | number)[]): boolean {
  return isBeginning(whole, { shown, cuts }, keys);
}

/** The value as a reader puts it together who asks for everything that is missing. */
function gathered(whole: Json, path: string, room: number, from = 0): Json {
  const { shown, cuts } = pageValue(path === "" ? whole : (readPath(whole, keysOf(path) ?? []) ?? null), room, { from });
  let value = shown;
  const own = cuts.find((cut) => cut.keys.length === 0);
  for (const cut of cuts.filter(({ keys }) => keys.length > 0)) {
    // Places in a slice count from its beginning, in paths from that of the list.
    const local = cut.keys.map((key, at) => (at === 0 && typeof key === "number" ? key - from : key));
    value = joined(value, local, gathered(whole, pathText(cut.keys, path), room, cut.from));
  }
  return own === undefined ? value : concatenated(value, gathered(whole, path, room, own.from));
}

function joined(value: Json, [key, ...rest]: readonly (string | number)[], more: Json): Json {
  if (key === undefined) return concatenated(value, more);
  if (isList(value)) return value.map((entry, at) => (at === key ? joined(entry, rest, more) : entry));
  return isObject(value)
    ? Object.fromEntries(Object.entries(value).map(([name, held]) => [name, name === key ? joined(held, rest, more) : held]))
    : value;
}

function concatenated(value: Json, more: Json): Json {
  if (typeof value === "string") return `${value}${more as string}`;
  if (isList(value)) return [...value, ...(more as readonly Json[])];
  return { ...(value as object), ...(more as object) };
}

describe("a value in pages", () => {
  test("what has room stays as it is", () => {
    const value = { a: [1, 2, { b: "short" }], c: null, d: {}, e: [] };
    expect(pageValue(value, 0)).toEqual({ shown: value, cuts: [] });
  });

  test("of a text the first characters are shown, of a list the first entries, of an object the first keys", () => {
    const text = "x".repeat(5000);
    expect(pageValue(text, 1000)).toEqual({ shown: "x".repeat(1000), cuts: [{ keys: [], total: 5000, from: 1000 }] });
    const list = Array.from({ length: 500 }, (_, at) => at);
    const { shown, cuts } = pageValue(list, 300);
    expect(shown).toEqual(list.slice(0, (shown as readonly Json[]).length));
    expect(cuts).toEqual([{ keys: [], total: 500, from: (shown as readonly Json[]).length }]);
    const many = Object.fromEntries(list.map((at) => [`key${at}`, at]));
    const keys = pageValue(many, 300);
    expect(Object.keys(keys.shown as object)).toEqual(Object.keys(many).slice(0, keys.cuts[0]?.from));
    expect(keys.cuts).toHaveLength(1);
  });

  test("short members stay whole beside a long one, and the long one says what it misses", () => {
    const { shown, cuts } = pageValue({ command: "y".repeat(9000), output_format: "lines", state_update: { path: "raw.out" } }, 1000);
    expect(shown).toMatchObject({ output_format: "lines", state_update: { path: "raw.out" } });
    expect(cuts).toEqual([{ keys: ["command"], total: 9000, from: (shown as { command: string }).command.length }]);
  });

  test("a first entry that is too large by itself is shown in part, and so are its values", () => {
    const { shown, cuts } = pageValue([{ text: "z".repeat(9000) }, 2], 1000);
    expect(shown).toEqual([{ text: expect.stringMatching(/^z+$/) as unknown }]);
    expect(cuts.map(({ keys, total }) => [pathText(keys), total])).toEqual([
      ["[0].text", 9000],
      ["", 2],
    ]);
  });

  test("what is shown is always the beginning, and every cut is recorded", () => {
    fc.assert(fc.property(large, rooms, (value, room) => isBeginning(value, pageValue(value, room))));
  });

  test("a client that asks for all that is missing gets the value", () => {
    fc.assert(
      fc.property(large, fc.integer({ min: 500, max: 3000 }), (value, room) => {
        expect(gathered(value, "", room)).toEqual(value);
      }),
    );
  });

  test("it costs about its room, and nothing but an empty value where there is none", () => {
    fc.assert(fc.property(large, rooms, (value, room) => costOf(pageValue(value, room).shown, 10_000) <= Math.max(room, 200) + 250));
    fc.assert(fc.property(large, (value) => costOf(pageValue(value, -1).shown, 100) <= 2));
  });

  test("a character is never cut in half", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", minLength: 250, maxLength: 500 }), fc.integer({ min: 1, max: 230 }), (text, room) => {
        const { shown } = pageValue(text, room);
        const next = text.slice((shown as string).length);
        return !(/[\uD800-\uDBFF]$/.test(shown as string) && /^[\uDC00-\uDFFF]/.test(next));
      }),
    );
  });

  test("a very deep value does not exhaust the stack", () => {
    let deep: Json = "end";
    for (let level = 0; level < 5000; level += 1) deep = [deep];
    const { shown, cuts } = pageValue(deep, 3000);
    expect(JSON.stringify(shown).length).toBeLessThan(200);
    expect(cuts).toHaveLength(1);
  });
});

test("paths lead back to the values they name, whatever their keys", () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.string(), fc.constantFrom("a.b", "0", 'say "x"', "\\", "line\nbreak")), { minLength: 1 }), (keys) => {
      expect(keysOf(pathText(keys))).toEqual(keys);
    }),
  );
  expect(pathText(["step", "definition", "updates", 0, "value"])).toBe("step.definition.updates[0].value");
});
