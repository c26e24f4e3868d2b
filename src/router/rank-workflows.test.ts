import { expect, test } from "vitest";
import { rankWorkflows } from "./rank-workflows.ts";

const workflows = [
  { name: "notes", description: "Writes release notes.", triggers: ["write the notes", "we have a release", "add a note"] },
  { name: "labels", description: "Tags a release.", triggers: ["notes"], notFor: ["release notes of a version"] },
];
const rank = (text: string, asked: readonly string[] = [], verbs: readonly string[] = []) =>
  rankWorkflows({ parts: text.split(" / "), asked, verbs }, workflows);
const first = (text: string) => rank(text)[0];

test("a phrase counts most where a part begins with it, and is named", () => {
  const [opening, inside] = [first("write the notes"), first("carefully write the notes")];
  expect(opening).toMatchObject({ workflow: "notes", says: "write the notes", phrase: 2, opens: true, isAll: true });
  expect(inside).toMatchObject({ says: "write the notes", opens: false, isAll: false });
  expect(opening?.score).toBeGreaterThan(inside?.score ?? Number.NaN);
  expect(first("paint / write the notes")).toMatchObject({ opens: true, isAll: false });
});

test("without a phrase there is nothing to name", () => {
  expect(first("tag it")).toMatchObject({ workflow: "labels", says: "", phrase: 0, opens: false, isAll: false, why: ["shares tag"] });
});

test("a phrase of one telling word needs all its words, or the beginning of a part", () => {
  expect(first("so we have a release")).toMatchObject({ says: "we have a release", phrase: 4 });
  expect(first("release it")).toMatchObject({ phrase: 0 });
  expect(first("notes")).toMatchObject({ says: "notes", phrase: 1 });
  expect(rank("old notes").map(({ says }) => says)).toEqual(["", ""]);
});

test("what it is not for counts against it, as a whole more than by its words", () => {
  const scoreOf = (text: string, notFor: readonly string[]): number =>
    rankWorkflows({ parts: [text], asked: [], verbs: [] }, [{ name: "labels", description: "Tags a release.", notFor }])[0]?.score ?? 0;
  const text = "tag a release of the old version";
  const [none, word, phrase] = [scoreOf(text, []), scoreOf(text, ["version"]), scoreOf(text, ["old version"])];
  expect(word).toBeLessThan(none);
  expect(phrase).toBeLessThan(word);
  expect(scoreOf(text, ["release"])).toBe(none);
});

test("what is beside the request counts less, and its verb tells what is done", () => {
  const [all, beside] = [rank("tag the page / for the release"), rank("tag the page / for the release", ["tag the page"], ["tag"])];
  expect(beside[0]?.score).toBeLessThan(all[0]?.score ?? 0);
  expect([all[0]?.does, beside[0]?.does]).toEqual([false, true]);
});

test("workflows that share nothing are left out, and of equals the name decides", () => {
  expect(rank("paint")).toEqual([]);
  const twins = ["b", "a"].map((name) => ({ name, description: "Paints walls." }));
  expect(rankWorkflows({ parts: ["paint"], asked: [], verbs: [] }, twins).map(({ workflow }) => workflow)).toEqual(["a", "b"]);
});
