import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { oldCalls } from "../support/checklist-sample.ts";

/** A workflow that a fake agent can do, idempotent by content. */
export interface RunnerExample {
  readonly workflow: string;
  readonly files: Readonly<Record<string, string>>;
  /** Of the fake agent. */
  readonly script: readonly { readonly match: string; readonly do: readonly object[] }[];
  /** The step that a prompt is about. */
  stepOf(prompt: string): string;
  /** What a run leaves. */
  read(folder: string): Readonly<Record<string, string>>;
}

const names = ["one", "two", "three"];

/** The second continues the session of the first, the third is fresh. */
const chain: RunnerExample = {
  workflow: "three",
  files: {
    ".archon/workflows/three.yaml": `name: three\ndescription: Three prompts.\nsteps:\n${names
      .map((name) => `  - { step: ${name}, artifacts: [${name}.md]${name === "three" ? ", clearContext: true" : ""} }\n`)
      .join("")}`,
    ...Object.fromEntries(names.map((name) => [`.archon/steps/${name}.md`, `Step ${name}. Save it to $ARTIFACTS_DIR/${name}.md\n`])),
  },
  script: [
    {
      match: "^Step (?<name>\\w+)\\. Save it to (?<file>\\S+)",
      do: [{ say: "I write." }, { write: { file: "$<file>", text: "This is $<name>.\n" } }, { say: "Done." }],
    },
  ],
  stepOf: (prompt) => /^Step (\w+)/.exec(prompt)?.[1] ?? prompt,
  read: (folder) => {
    const artifacts = join(folder, ".archon", "artifacts");
    const [run = "", ...others] = readdirSync(artifacts);
    const texts = readdirSync(join(artifacts, run))
      .toSorted()
      .map((name) => [name, readFileSync(join(artifacts, run, name), "utf8")]);
    return { ...Object.fromEntries(texts), runs: String(1 + others.length) };
  },
};

const files = names.map((name) => `${name}.js`);
const call = '"run_id":"(?<run>[^"]+)","action_id":"(?<action>[^"]+)"';
const report = {
  call: { tool: "workflow_progress", with: { run_id: "$<run>", action_id: "$<action>", status: "completed", result: "read" } },
};

const checklist: RunnerExample = {
  workflow: "old-calls",
  files: {
    ".waymark/workflows/old-calls.workflow.yaml": oldCalls.replace(/.*batch_auto.*\n/, ""),
    ...Object.fromEntries(files.map((name) => [name, `old(a, ${name[0] ?? ""});\n`])),
  },
  script: [
    {
      match: `convert_instance (?<file>\\S+?):\\d[^]*?\\nold\\((?<args>.*)\\)[^]*${call}`,
      do: [{ write: { file: "$<file>", text: "fresh($<args>);\n" } }, report, { say: "Reported." }],
    },
    { match: call, do: [report] },
  ],
  stepOf: (prompt) => /^convert_instance \S+/m.exec(prompt)?.[0] ?? prompt,
  read: (folder) =>
    Object.fromEntries(files.map((name) => [name, existsSync(join(folder, name)) ? readFileSync(join(folder, name), "utf8") : ""])),
};

export const runnerExamples: readonly RunnerExample[] = [chain, checklist];
