export type KeyKind = "text" | "flag" | "map" | "list" | "any";

/** One key of a test file: what kind of value it has, and what it does. */
export interface TestKey {
  readonly kind: KeyKind;
  readonly about: string;
}
export type TestKeys = Readonly<Record<string, TestKey>>;

/** Keys of one test; beside `tests` they are defaults for all tests of the file. */
export const testKeys: TestKeys = {
  name: { kind: "text", about: "What the test shows." },
  inputs: { kind: "map", about: "Inputs of the run." },
  steps: { kind: "list", about: "What is handed out, in order, and the answers; an entry may be just the id of a step." },
  answers: { kind: "map", about: "Answers by step id, for steps that `steps` does not name next." },
  commands: {
    kind: "map",
    about:
      "Replies of shell commands. Keys are command lines, with `*` for anything, or `/regular expressions/`; a list of replies is used in turn.",
  },
  tools: {
    kind: "map",
    about: "Replies of tools by method, each `{ result: ... }` or `{ error: text }`; tools that are not named are handed out as steps.",
  },
  agent: {
    kind: "any",
    about:
      "The script of an agent that does what `steps` and `answers` do not name: a path from the test file on, or the script itself (`{ turns: [...] }`); see agents.md. It is every agent that the workflow names, and no other one is started.",
  },
  folder: {
    kind: "text",
    about: "Folder, from the test file on, that the run works on a copy of; with `agent` an empty one without it.",
  },
  files: { kind: "map", about: "Contents of files at its end, by path in that folder; `null` for one that is not there." },
  execute: { kind: "flag", about: "Run commands that have no reply for real; they need a permission then." },
  serial: { kind: "flag", about: "Sub-agent tasks one after another in the main line." },
  strict: { kind: "flag", about: "Messages and state updates must be named in `steps` or `answers` too." },
  status: {
    kind: "text",
    about:
      "How the run ends: `completed` (default), `failed`, `cancelled`; or `running`, when `steps` is at its end and nothing answers the next step or question. An `agent` gets every step, so only a question stops it.",
  },
  state: { kind: "map", about: "Values at its end, by path." },
  error: { kind: "text", about: "Code or part of the message the run failed with, or a `/pattern/`." },
  messages: { kind: "list", about: "All messages shown, in order." },
  ran: { kind: "list", about: "All command lines run, in order." },
};

export const fileKeys: TestKeys = {
  workflow: { kind: "text", about: "Name of the workflow, or a path from the test file on; default the file beside it." },
  tests: { kind: "list", about: "The tests; without it the file is one test itself." },
  ...testKeys,
};

/** Keys of an entry of `steps`. */
export const stepKeys: TestKeys = {
  step: { kind: "text", about: "Id of the step; `*` matches anything, and the own id is enough for a step inside others." },
  type: { kind: "text", about: "Its type." },
  task: { kind: "text", about: "The sub-agent task it belongs to." },
  expect: {
    kind: "map",
    about:
      "Part of what is handed out: `command`, `prompt`, `message`, `instructions` ...; texts of the form `/pattern/` are regular expressions.",
  },
  answer: { kind: "any", about: "Its result." },
  fail: { kind: "text", about: "It fails with this message." },
};

/** Keys of a command's reply; a plain text is its `stdout`. */
export const replyKeys: TestKeys = {
  stdout: { kind: "text", about: "Its output." },
  stderr: { kind: "text", about: "Its error output." },
  exit_code: { kind: "any", about: "Default 0." },
  timeout: { kind: "flag", about: "It does not end in time." },
};

export const toolReplyKeys: TestKeys = {
  result: { kind: "any", about: "What it returns." },
  error: { kind: "text", about: "It fails with this message." },
};
