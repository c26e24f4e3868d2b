import { expect, test } from "vitest";
import type { Config } from "../host/index.ts";
import { peopleOf } from "./chat-people.ts";

const people: Config["people"] = {
  "slack:U1": { name: "Grace", may: ["start", "decide"], from: "user" },
  "terminal:eve": { name: "Eve", may: ["decide"], from: "user" },
  // A configuration like this is refused; here it counts for nothing.
  "test:local": { name: "curl", may: ["start", "decide", "clone"], from: "user" },
};

interface Given {
  readonly name: string | undefined;
  readonly may: readonly string[];
}

function of(platform: string, person: string, { isAtTerminal = true, entries = people } = {}): Given {
  const { name, may } = peopleOf({ people: entries }, { name: "ada", isAtTerminal }).of(platform, person);
  return { name, may: [...may] };
}

test("who has an entry has exactly its rights, on its platform", () => {
  expect(of("slack", "U1")).toEqual({ name: "Grace", may: ["start", "decide"] });
  expect(of("discord", "U1")).toEqual({ name: undefined, may: [] });
  expect(of("slack", "U2")).toEqual({ name: undefined, may: [] });
  expect(of("terminal", "eve")).toEqual({ name: "Eve", may: ["decide"] });
});

test("the user of the computer has all rights at a terminal, and those of an entry where there is one", () => {
  expect(of("terminal", "ada")).toEqual({ name: "ada", may: ["start", "decide", "clone"] });
  expect(of("terminal", "ada", { entries: { "terminal:ada": { name: "Ada", may: [], from: "user" } } })).toEqual({ name: "Ada", may: [] });
  expect(of("slack", "ada")).toEqual({ name: undefined, may: [] });
});

test("without a terminal nobody decides, whatever the configuration says", () => {
  expect(of("terminal", "ada", { isAtTerminal: false })).toEqual({ name: "ada", may: ["start", "clone"] });
  expect(of("terminal", "eve", { isAtTerminal: false })).toEqual({ name: "Eve", may: [] });
  expect(of("slack", "U1", { isAtTerminal: false })).toEqual({ name: "Grace", may: ["start", "decide"] });
});

test("the test adapter is one person, who decides and clones nothing", () => {
  expect(of("test", "local")).toEqual({ name: "curl", may: ["start"] });
  expect(of("test", "local", { entries: {} })).toEqual({ name: "the test adapter", may: [] });
  expect(of("test", "other", { entries: {} })).toEqual({ name: undefined, may: [] });
});

test("names that every object has are strangers", () => {
  expect(of("", "constructor")).toEqual({ name: undefined, may: [] });
  expect(of("constructor", "")).toEqual({ name: undefined, may: [] });
  expect(peopleOf({ people: {} }, { name: "ada", isAtTerminal: true }).of("__proto__", "x").name).toBeUndefined();
});

test("who may decide on a platform is named; in a terminal that is at most the person who sits there", () => {
  const deciders = (platform: string, isAtTerminal = true): readonly string[] =>
    peopleOf({ people }, { name: "ada", isAtTerminal }).deciders(platform);
  expect([deciders("slack"), deciders("discord"), deciders("test")]).toEqual([["Grace"], [], []]);
  expect([deciders("terminal"), deciders("terminal", false)]).toEqual([["ada"], []]);
});
