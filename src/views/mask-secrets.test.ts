import { describe, expect, test } from "vitest";
import type { Json, JsonObject } from "../base/index.ts";
import type { Program } from "../program/index.ts";
import { agentStep, part, program } from "../../test/support/make-program.ts";
import { maskSecrets } from "./mask-secrets.ts";
import type { RunState } from "../kernel/index.ts";

const spec = { type: "any", required: false } as const;
const secret = program([agentStep("a")], "a", { inputs: { key: { ...spec, secret: true }, open: spec } });
const [main] = Object.keys(secret.parts);

function stateOf(inputs: JsonObject, of: Program = secret): RunState {
  return { scopes: { run: { part: of.main, inputs, raw: {}, state: {}, fixed: {}, version: 0, calls: {} } } } as unknown as RunState;
}

describe("maskSecrets", () => {
  test("gives back the very same value when nothing is secret", () => {
    const plain = program([agentStep("a")], "a", { inputs: { open: spec } });
    const value = { deep: [{ open: "abcd" }] };
    expect(maskSecrets(value, plain, stateOf({ open: "abcd" }, plain))).toBe(value);
  });

  test.each<[string, Json, Json, Json]>([
    ["the longer of two secrets first", ["abcd", "abcdef"], "abcdef abcd", "******** ********"],
    ["its own mask only once", ["*", "abcd"], "*abcd", "****************"],
    ["signs of regular expressions as text", "a.c(d[", "a.c(d[ abc(d[", "******** abc(d["],
    ["JSON in ASCII", "größe-1", 'x "gr\\u00f6\\u00dfe-1"', 'x "********"'],
    ["a word in quotes of the shell", "it's mine", "echo 'it'\\''s mine'", "echo '********'"],
    ["a number that was a text", "123456", { copy: 123_456, other: 1_234_567 }, { copy: "********", other: 1_234_567 }],
    ["a short number under the name of its input alone", 42, { key: 42, other: 42 }, { key: "********", other: 42 }],
    ["a key as a whole and in part", "abcd", { abcd: 1, "x-abcd": 2 }, { "********": 1, "x-********": 2 }],
    ["a short key as a whole only", "id", { id: 1, width: 2 }, { "********": 1, width: 2 }],
    ["keys that look alike now", ["abcd", "wxyz"], { abcd: 1, wxyz: 2 }, { "********": 1, "******** (2)": 2 }],
  ])("hides %s", (_title, key, value, expected) => {
    expect(maskSecrets(value, secret, stateOf({ key }))).toEqual(expected);
  });

  test("an empty secret hides nothing, and what another state holds does not count", () => {
    const value = { text: "abcd", none: "", nothing: null };
    expect(maskSecrets(value, secret, stateOf({ key: "" }))).toEqual(value);
    expect(maskSecrets(value, secret, stateOf({ key: "other" }))).toEqual(value);
  });

  test("a default of a called part is hidden when its scope is gone", () => {
    const called = part("a", { inputs: { token: { ...spec, secret: true, default: "called-default" } } });
    const both: Program = { ...secret, parts: { ...secret.parts, called } };
    expect(main).toBe(both.main);
    expect(maskSecrets("has called-default", both, stateOf({ key: "abcd" }, both))).toBe("has ********");
  });
});
