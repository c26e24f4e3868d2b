/** What people read is plain English: no turn of phrase of the table below is in a page, a message or a comment. */
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { lexText } from "../../src/scan/lex/lex-text.ts";
import { stillToClean } from "../support/still-to-clean.ts";

const root = resolve(import.meta.dirname, "../..");

/** Each turn, what to write instead, and a sentence that must be found. */
const turns: readonly (readonly [turn: RegExp, instead: string, planted: string])[] = [
  [/\b(?:go|goes|going|gone|went) on\b/i, "Write `continue`.", "The run goes on in a new conversation."],
  [/\bmend(?:s|ed|ing)?\b/i, "Write `fix`.", "Mend every problem the message lists."],
  [/(?<!\bthere )\b(?:is|are|was|were) no (?!longer\b|more\b)/i, "Write `is not a ...`.", "Task `a` depends on `x`, which is no task."],
  [
    /\b(?:stands|stood)\b|\bstand (?:in|for|at|on|there|where|twice)\b/i,
    "Write `is`, or what it does.",
    "What the token stands for has changed.",
  ],
  [/\blies\b|\b(?:lie|lay) (?:in|at|on|below|beside|between|outside|under|there|where)\b/i, "Write `is in`.", "Its file lies in a folder."],
  [/\bwhoever\b/i, "Say who: the agent, a person, the caller.", "Whoever drives the run continues."],
  [/\bsomebody\b/i, "Write `someone`, or say who.", "Somebody else changed the file."],
  [/\bin hand\b|\b(?:in|into)(?: [\w'`]+){0,2} hands\b/i, "Write `works on` or `held by`.", "All that is open is in other hands."],
  [/\btold\b/i, "Write `says`, `reports` or `is shown`.", "The agent is told what is open."],
  [/\banew\b/i, "Write `again`.", "It was begun anew."],
  [/\bmeant\?/i, "Write `Did you mean ...?`.", "Was `shell_command` meant?"],
  [/\bhouse\b/i, "Say what: the rooms, the project, the code.", "The house as it is."],
  [/\bfor ever\b/i, "Write `forever`, or `never` with the opposite.", "Events replay for ever."],
  [/\b1 (?:errors|problems|tasks|files|items|steps|runs)\b/i, "A number and its noun agree: `1 error`.", "It has 1 errors."],
];

/** Texts of programs: permissions are bound to them, so they stay as they are. */
const inPrograms: Readonly<Record<string, string>> = {
  "src/dialects/bots/definition/lower.ts": "Done: go on",
  "src/dialects/checklist/definition/lower.ts": "Go on?",
  "src/dialects/machine/definition/vocabulary.ts": "Name of an earlier session's folder to go on with; empty begins a new one.",
};

/** Where the router has the words of those who write to it: what it says itself is in other files. */
const wordsOfPeople = /^src\/router\/(?:fields-[\w-]+|request-words|sentence-forms|read-clause|words-of|common-words)\.ts$/;

/** One space between words, and no names of code: those are not prose. */
function prose(text: string): string {
  return text.replaceAll(/`[^`\s]+`/g, "``").replaceAll(/\s+/g, " ");
}

/** Every turn in the text, with the words around it and what to write instead. */
function turnsIn(text: string): readonly string[] {
  const plain = prose(text);
  return turns.flatMap(([turn, instead]) =>
    [...plain.matchAll(new RegExp(turn, "gi"))].map(({ index }) => `...${plain.slice(Math.max(0, index - 30), index + 40)}...: ${instead}`),
  );
}

/** Comments, and strings of more than one word: a single word is a key, a code or a word that is stored. Code is left out. */
function proseOfSource(text: string, kinds: readonly string[] = ["comment", "string"]): string {
  return lexText(text, "typescript")
    .map(({ kind, start, end }) => {
      const token = text.slice(start, end);
      if (!kinds.includes(kind)) return kind === "space" ? " " : "|";
      if (kind === "comment") return token.replaceAll(/^\s*(?:\/\*\*?|\*\/?|\/\/)|\*\/$/gm, " ");
      return /\S\s|\s\S/.test(token) && !token.startsWith("/") ? token.replaceAll("\\`", "`") : "|";
    })
    .join("");
}

/** What a dialect's list of features says itself; titles of tests are quoted as they are. */
function proseOfFeatures(text: string): string {
  return JSON.stringify(parse(text), (key, value: unknown) => (key === "tests" ? undefined : value)).replaceAll("\\n", " ");
}

/** Entries of versions that are out stay as they were written. */
function unreleased(changelog: string): string {
  return changelog.split(/^## /m).find((part) => part.startsWith("Unreleased")) ?? "";
}

function filesBelow(folder: string, wanted: RegExp): readonly string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .map((path) => `${folder}/${path.replaceAll("\\", "/")}`)
    .filter((path) => wanted.test(path))
    .toSorted();
}

/** Every file that people read, with its prose. */
const read: readonly (readonly [file: string, prose: (text: string) => string])[] = [
  ...["README.md", "CONTRIBUTING.md", "AGENTS.md"].map((file) => [file, String] as const),
  ["CHANGELOG.md", unreleased],
  ...filesBelow("docs", /^docs\/[^/]+\.md$/).map((file) => [file, String] as const),
  ...filesBelow("src", /\/features\.yaml$/).map((file) => [file, proseOfFeatures] as const),
  ...filesBelow("src", /^(?!.*\/samples\/)(?!.*\.(?:test|contract)\.ts$).*\.ts$/).map(
    (file) => [file, (text: string) => proseOfSource(text, wordsOfPeople.test(file) ? ["comment"] : undefined)] as const,
  ),
];

const found = read
  .map(([file, proseOf]) => {
    const text = readFileSync(join(root, file), "utf8").replace(inPrograms[file] ?? "", "");
    return { file, turns: turnsIn(proseOf(text)) };
  })
  .filter((entry) => entry.turns.length > 0);

test("what people read has none of the turns", () => {
  const unexpected = found.filter(({ file }) => !stillToClean.includes(file));
  expect(unexpected.flatMap(({ file, turns: inFile }) => inFile.map((turn) => `${file}: ${turn}`))).toEqual([]);
});

test("a file on the list of those to clean has a turn, else it is taken off the list", () => {
  expect(stillToClean.filter((file) => !found.some((entry) => entry.file === file))).toEqual([]);
});

test("what is kept for the sake of programs is still there", () => {
  const gone = Object.entries(inPrograms).filter(([file, text]) => !readFileSync(join(root, file), "utf8").includes(text));
  expect(gone).toEqual([]);
});

describe("planted faults are found", () => {
  test.each(turns)("%s", (turn, _, planted) => {
    expect(turnsIn(planted)).toHaveLength(1);
    expect(planted).toMatch(turn);
  });

  test("in a page, also over the end of a line, and in every kind of source text", () => {
    expect(turnsIn("The run goes\non here.")).toHaveLength(1);
    expect(turnsIn(unreleased("# Changelog\n\n## Unreleased\n\n- It is told.\n\n## 1.0.0\n\n- It is told.\n"))).toHaveLength(1);
    expect(
      turnsIn(proseOfFeatures('title: "A"\nintro: |\n  It goes\n  on.\nrows: [{ feature: "x is told", tests: ["a › b is told"] }]')),
    ).toHaveLength(2);
    for (const source of [
      "// It goes on.",
      "/** It goes\n * on. */",
      "// It goes\n  // on.",
      '"It goes on."',
      "`${x} goes on with \\`y\\`.`",
    ])
      expect(turnsIn(proseOfSource(source)), source).toHaveLength(1);
  });

  test("and names of code, words that are stored and plain sentences are not", () => {
    for (const source of [
      'const told = { lies: "told" };',
      "// See `told` there.",
      "/\\btold you\\b/.test(text);",
      "// Let it go\nrun(); // on time",
    ])
      expect(turnsIn(proseOfSource(source)), source).toEqual([]);
    for (const text of ["There is no task `x`.", "It is no longer open.", "Recommended: understand it.", "Go online.", "1 error, 2 errors"])
      expect(turnsIn(text), text).toEqual([]);
  });
});
