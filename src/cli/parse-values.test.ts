import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { jsonOrText } from "../base/index.ts";
import { keyValue, parseBudget, parseCount, parseDuration } from "./parse-values.ts";

describe("values of the command line", () => {
  test.each([
    ["name=Ada", ["name", "Ada"]],
    ["a=b=c", ["a", "b=c"]],
    ["empty=", ["empty", ""]],
  ])("%s is a key and a value", (text, pair) => expect(keyValue(text, "--input")).toEqual(pair));

  test.each(["name", "=x", ""])("`%s` is not a key and a value", (text) => {
    expect(() => keyValue(text, "--input")).toThrow("key=value");
  });

  test("every JSON value given as JSON arrives as that value", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(jsonOrText(JSON.stringify(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  test("everything else arrives as text", () => {
    expect(jsonOrText("it's [fine")).toBe("it's [fine");
  });

  test("a budget names its limits", () => {
    expect(parseBudget("steps=10, minutes=2.5,tokens=100,money=0.5")).toEqual({ steps: 10, minutes: 2.5, tokens: 100, money: 0.5 });
  });

  test.each([
    ["stesp=1", "Did you mean `steps`?"],
    ["steps=1.5", "whole number"],
    ["minutes=-1", "number above 0"],
    ["steps=", "whole number"],
    [",", "names no limit"],
    ["steps", "key=value"],
  ])("the budget `%s` is refused", (text, why) => expect(() => parseBudget(text)).toThrow(why));

  test.each([
    ["30d", 30 * 86_400_000],
    ["12h", 43_200_000],
    ["45m", 2_700_000],
    ["10s", 10_000],
    ["2w", 1_209_600_000],
    ["1.5h", 5_400_000],
  ])("%s is a time", (text, ms) => expect(parseDuration(text, "--older-than")).toBe(ms));

  test.each(["30", "d", "-1d", "1y", ""])("`%s` is not a time", (text) =>
    expect(() => parseDuration(text, "--older-than")).toThrow("is not a time"),
  );

  test.each(["-1", "1.5", "x", "", " "])("`%s` is not a count", (text) =>
    expect(() => parseCount(text, "--limit")).toThrow("whole number"),
  );
});
