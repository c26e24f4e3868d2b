import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { CommandOutcome, CommandRequest } from "../../src/ports/index.ts";
import { openTestEngine, type TestEngine } from "./test-engine.ts";

/** A checklist whose findings come from a linter alone; `more`: further keys of the tool, or of the file. */
export function lintWorkflow(more = "", keys = ""): string {
  return `type: lint
name: "Lint"
description: "Works off what the linter reports."
file_patterns: ["**/*.js"]
phases:
  - { id: inventory, name: Inventory, description: d, required: true }
  - { id: scan, name: Scan, description: d, required: true }
  - { id: batch_auto, name: Batch, description: d, required: false }
  - { id: manual_review, name: Review, description: d, required: true }
  - { id: summary, name: Summary, description: d, required: true }
findings_from:
  - id: lint
    command: lint --all
    format: lines
    pattern: '^(?<file>[^:]+):(?<line>\\d+):(?<column>\\d+): (?<severity>\\w+) (?<rule>[\\w-]+): (?<message>.*)$'
${more}
topic_discovery: { enabled: false }
${keys}
`;
}

/** What the linter of these tests prints: a line for each word `bad` or `ugly`. */
export function lintLines(folder: string, only?: string): string {
  const names = only === undefined ? readdirSync(folder, { recursive: true, encoding: "utf8" }).toSorted() : [only];
  return names
    .filter((name) => name.endsWith(".js"))
    .flatMap((name) =>
      readFileSync(join(folder, name), "utf8")
        .split("\n")
        .flatMap((line, at) =>
          [...line.matchAll(/\b(?:bad|ugly)\b/g)].map(
            ({ index, 0: word }) => `${name}:${at + 1}:${index + 1}: warning no-${word}: Do not write ${word}.`,
          ),
        ),
    )
    .join("\n");
}

/** The same findings as ESLint writes them, each with a fix: `bad` becomes `good`, and `ugly` something that is reported again. */
export function lintJson(folder: string): string {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .toSorted()
    .filter((name) => name.endsWith(".js"));
  const results = names.map((name) => {
    const text = readFileSync(join(folder, name), "utf8").replace(/^\uFEFF/, "");
    const messages = [...text.matchAll(/\b(?:bad|ugly)\b/g)].map(({ index, 0: word }) => {
      const line = text.slice(0, index).split("\n").length;
      const column = index - text.lastIndexOf("\n", index - 1);
      const range = [index, index + word.length];
      const fix = { range, text: word === "bad" ? "good" : "ugly" };
      return {
        ruleId: `no-${word}`,
        severity: 2,
        message: `Do not write ${word}.`,
        line,
        column,
        endLine: line,
        endColumn: column + word.length,
        fix,
      };
    });
    return { filePath: join(folder, name), messages, suppressedMessages: [] };
  });
  return JSON.stringify(results);
}

export interface Linting extends Omit<TestEngine, "write"> {
  readonly write: (path: string, text: string) => Promise<void>;
  readonly run: string;
  /** Command lines in the order in which they were run. */
  readonly ran: readonly string[];
  /** What the next commands end with instead of the linter's own output. */
  readonly instead: Partial<CommandOutcome>[];
  /** While it is on, the linter comes to no end until it is stopped. */
  readonly hanging: { on: boolean };
}

/** The workflow with the linter that offers fixes. */
export const fixingWorkflow: string = lintWorkflow()
  .replace("lint --all", "lint --json")
  .replace(/format: lines\n +pattern: .*/, "format: eslint");

/** An engine whose linter is a function over the files; no process is started. */
export async function openLinting(
  files: Readonly<Record<string, string>>,
  workflow: string = lintWorkflow(),
): Promise<Omit<Linting, "run">> {
  const ran: string[] = [];
  const instead: Partial<CommandOutcome>[] = [];
  const hanging = { on: false };
  let folder = "";
  const all = { ".waymark/workflows/lint.workflow.yaml": workflow, ...files };
  const engine = await openTestEngine(all, {}, undefined, () => ({
    run: async ({ command, signal }: CommandRequest) => {
      ran.push(command);
      if (hanging.on) {
        await new Promise<void>((stopped) => signal?.addEventListener("abort", () => stopped()));
        return { exitCode: null, signal: null, ended: "cancelled", stdout: { text: "", bytes: 0 }, stderr: "", ms: 1 };
      }
      const [, file] = /^lint '?([^'-][^']*)'?$/.exec(command) ?? [];
      const text = command === "lint --json" ? lintJson(folder) : lintLines(folder, file);
      return {
        exitCode: text === "" ? 0 : 1,
        signal: null,
        ended: "exit",
        stdout: { text, bytes: text.length },
        stderr: "",
        ms: 1,
        ...instead.shift(),
      };
    },
  }));
  folder = engine.folder;
  await engine.allow("lint");
  return { ...engine, ran, instead, hanging };
}
