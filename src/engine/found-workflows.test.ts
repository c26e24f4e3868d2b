import fc from "fast-check";
import { expect, test } from "vitest";
import { parse } from "yaml";
import type { FoundWorkflow } from "../ports/index.ts";
import { FoundWorkflows, type Entry } from "./found-workflows.ts";

/** Ways to write a name, each with whether a search for it must know the file without reading all others. */
const spellings: readonly ((name: string) => string)[] = [
  (name) => `name: ${name}`,
  (name) => `name:   "${name}" # its name`,
  (name) => `{ "name": "${name}", "steps": [] }`,
  (name) => `name: >-\n  ${name}\nsteps: []`,
  (name) => `name: '${name}'`,
];
const escaped = (name: string): string => `name: "\\x${name.charCodeAt(0).toString(16)}${name.slice(1)}"`;

interface Made {
  readonly name: string;
  readonly spelling: number;
  readonly folder: string;
  readonly source: FoundWorkflow["source"];
  readonly firstValid: boolean;
  readonly problems: number;
}

function fileOf({ name, spelling, folder, source, firstValid }: Made, at: number): FoundWorkflow {
  const text = (spellings[spelling] ?? escaped)(name);
  return { name: `f${at}`, path: `${folder}/f${at}.yaml`, folder, source, text, ...(firstValid ? { firstValid: true as const } : {}) };
}

function shelf(made: readonly Made[]): { readonly found: FoundWorkflows; readonly read: string[] } {
  const files = made.map(fileOf);
  const read: string[] = [];
  const found = new FoundWorkflows(files, async (file): Promise<Entry> => {
    read.push(file.path);
    const { name } = parse(file.text) as { readonly name: string };
    const { problems = 0 } = made[files.indexOf(file)] ?? {};
    return { file, refers: false, info: { name, problems } as Entry["info"] };
  });
  return { found, read };
}

const pathsOf = (entries: readonly Entry[]): readonly string[] => entries.map(({ file }) => file.path);
const name = fc.constantFrom("one", "one-more", "a.b", "a+b");
const made = fc
  .record({
    name,
    spelling: fc.nat(spellings.length - 1),
    folder: fc.constantFrom("a", "b"),
    source: fc.constantFrom("project" as const, "global" as const, "bundled" as const),
    firstValid: fc.boolean(),
    problems: fc.nat(1),
  })
  .map((each): Made => ({ ...each, folder: `${each.source}/${each.folder}${each.firstValid ? "-first" : ""}` }));

test("a search by name finds what reading every file finds, in the same order and with the same ones that do not count", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(made, { maxLength: 8 }), name, async (all, wanted) => {
      const { found } = shelf(all);
      const whole = (await shelf(all).found.all()).filter(({ info }) => info.name === wanted);
      const named = await found.named(wanted);
      expect(named.map(({ file, ...rest }) => ({ ...rest, path: file.path }))).toEqual(
        whole.map(({ file, ...rest }) => ({ ...rest, path: file.path })),
      );
    }),
  );
});

const plain: Made = { name: "other", spelling: 0, folder: "a", source: "bundled", firstValid: false, problems: 0 };

test("only the files that have the name as a value are read", async () => {
  const { found, read } = shelf([{ ...plain, name: "one-more" }, { ...plain, name: "one" }, plain]);
  expect(pathsOf(await found.candidates("one"))).toEqual(["a/f1.yaml"]);
  expect(read).toEqual(["a/f1.yaml"]);
});

test("a name that is written with an escape is found as well, and so is none", async () => {
  const { found } = shelf([plain, { ...plain, name: "one", spelling: spellings.length }]);
  expect(pathsOf(await found.candidates("one"))).toEqual(["a/f1.yaml"]);
  expect(await found.candidates("two")).toEqual([]);
  expect(await found.names()).toEqual(["other", "one"]);
});
