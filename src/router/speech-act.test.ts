import { describe, expect, test } from "vitest";
import { verbsOf } from "./read-clause.ts";
import { readSpeech, type SpeechAct } from "./speech-act.ts";

const says: Readonly<Record<SpeechAct, readonly string[]>> = {
  request: [
    "fix the login",
    "please fix the login",
    "hi! just quickly: fix the login",
    "it is broken, please fix it",
    "it is broken. can you fix it?",
    "i just pushed, could somebody review it?",
    "i was wondering if you could fix it",
    "it would be really nice if someone could fix it",
    "let's build a map",
    "we need a map",
    "thanks for the map! now add a search",
    "1. fix the login",
    "if possible, fix the login",
    "fix the login. don't change the colours.",
    "fix the login, not the logout",
    "fix the login. no tests please",
    "fix the login. stop the server first",
    "outdated packages, pls update",
    "help me prepare the questions",
  ],
  proposal: [
    "can we add a map?",
    "should we fix it?",
    "fix the login?",
    "don't wait, fix it",
    "don't wait. fix it now.",
    "if it fails, fix it",
    "find where it is read",
    "check whether it works",
    "make sure nobody deploys it",
    "bitte behebe es",
  ],
  question: [
    "what is a map?",
    "why did it fail",
    "can you explain the map?",
    "would you rather fix the map or the list?",
    "tell me about it",
    "walk me through it",
    "i need help to understand the map",
    "is it slow?",
    "please note: we fix it on monday",
    "what happens when you deploy it?",
    "if it fails, what then?",
  ],
  refusal: [
    "don't fix it",
    "please do not fix it",
    "no, stop",
    "i don't want a map",
    "let's wait with it",
    "fix it? no, leave it",
    "fix it. actually, never mind",
    "fix it. wait a moment",
    "fix it. oh, don't do that",
    "never mind, i fixed it myself",
  ],
  report: [
    "thanks for the fix",
    "i fixed it",
    "we have already deployed it",
    "he said it works",
    "tom will deploy it tomorrow",
    "i'm reading the docs",
    "let me fix it myself",
    "- tom: deploy it (done)",
  ],
  aside: ["it is slow, profile it", "we are full, add a page to the list", "production is down!!", "we cannot log in. it is urgent"],
  need: ["the login is broken", "users cannot log in", "the list needs a search", "outage! nobody can pay"],
  statement: ["fix", "there is a bug", "i noticed a bug", "i have a bug here", "we have outdated packages", "the map"],
};

describe.each(Object.entries(says))("%s", (act, texts) => {
  test.each(texts)("%s", (text) => {
    expect(readSpeech(text).act).toBe(act);
  });
});

test("nothing is a statement", () => {
  expect(readSpeech("")).toEqual({ act: "statement", wanted: [], asked: [], isTask: false });
});

test("what is refused is not part of what is wanted", () => {
  expect(readSpeech("don't review it, just fix the login. and no tests please").wanted).toEqual(["fix the login."]);
  expect(readSpeech("deploy to staging, not to production").wanted).toEqual(["deploy to staging"]);
});

test("what is asked for ends where it is described, and has its verbs", () => {
  const { asked } = readSpeech("hello, could you please look into the list and fix the button that opens the map?");
  expect(asked).toEqual(["look into the list and fix the button"]);
  expect(asked.flatMap(verbsOf)).toEqual(["fix"]);
});
