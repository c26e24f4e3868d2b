import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { smallBot } from "./bot-sample.ts";

const folder = join(import.meta.dirname, "../router");

/** A workflow as the set describes it, without what it does. */
export interface DescribedWorkflow {
  readonly dialect: "steps" | "checklist" | "bots" | "machine" | "prompts";
  readonly name: string;
  readonly description: string;
  readonly triggers?: readonly string[];
  readonly examples?: readonly string[];
  readonly not_for?: readonly string[];
}

/** What people write, and the workflow that should take it; nothing is started by a text without one. */
export interface Utterance {
  readonly text: string;
  readonly wanted?: string;
}

export const describedWorkflows = parse(readFileSync(join(folder, "workflows.yaml"), "utf8")) as readonly DescribedWorkflow[];

/** Workflows of a set that has them in a file of its own, as the router sees them. */
export function readRoutables(
  file: string,
): readonly (Omit<DescribedWorkflow, "dialect" | "not_for"> & { readonly notFor: readonly string[] })[] {
  const workflows = parse(readFileSync(join(folder, file), "utf8")) as readonly Omit<DescribedWorkflow, "dialect">[];
  return workflows.map(({ not_for: notFor = [], ...workflow }) => ({ ...workflow, notFor }));
}

export function readUtterances(file: string): readonly Utterance[] {
  const lists = parse(readFileSync(join(folder, file), "utf8")) as Readonly<Record<string, readonly string[]>>;
  return Object.entries(lists).flatMap(([wanted, texts]) => texts.map((text) => (wanted === "talk" ? { text } : { text, wanted })));
}

/** Files of a project that has these workflows, each in its own dialect. */
export function routedProject(workflows: readonly DescribedWorkflow[] = describedWorkflows): Readonly<Record<string, string>> {
  return Object.assign({}, ...workflows.map((workflow) => makers[workflow.dialect](workflow)));
}

type Files = Readonly<Record<string, string>>;

// YAML reads JSON, so a definition is written as JSON with what its dialect needs beside.
const json = ({ dialect: _dialect, ...keys }: DescribedWorkflow, more: object): string => JSON.stringify({ ...keys, ...more });

const makers: Readonly<Record<DescribedWorkflow["dialect"], (workflow: DescribedWorkflow) => Files>> = {
  prompts: (workflow) => ({
    [`.archon/workflows/${workflow.name}.yaml`]: json(workflow, { steps: [{ step: "work" }] }),
    ".archon/steps/work.md": "Do what is asked: $USER_MESSAGE\n",
  }),
  steps: (workflow) => ({
    [`.waymark/workflows/${workflow.name.replaceAll(":", "__")}.yaml`]: json(workflow, {
      version: "1.0.0",
      steps: [{ id: "say", type: "user_message", message: "Done." }],
    }),
  }),
  checklist: (workflow) => ({
    [`.waymark/workflows/${workflow.name}.workflow.yaml`]: json(workflow, {
      type: workflow.name,
      version: "1.0.0",
      file_patterns: ["src/**/*"],
      topic_discovery: { enabled: false },
      phases: [
        { id: "inventory", name: "Files" },
        { id: "review", name: "Review", mode: "guided" },
        { id: "summary", name: "Report" },
      ],
      per_file_checklist: [{ id: "look", type: "custom", description: "Read it." }],
    }),
  }),
  machine: ({ name, ...workflow }) => ({
    [`.waymark/workflows/${name}.machine.yaml`]: json({ name, ...workflow }, { name: undefined, machine: name, ...twoStates }),
    ".waymark/workflows/roles/writer.md": "Write the notice.\n",
  }),
  bots: ({ name, dialect: _dialect, ...config }) =>
    Object.fromEntries(
      Object.entries(smallBot({}, { name, ...config })).map(([path, text]) => [path.replace("small_bot", name), text] as const),
    ),
};

const twoStates = {
  version: "1.0.0",
  start: "WRITE",
  artifacts: { notice: { path: "notice.md", sections: ["Text"] }, report: { form: "report" } },
  roles: { Writer: { title: "Writes the notice.", instructions: "roles/writer.md", writes: ["notice"] } },
  states: {
    WRITE: { title: "The notice is written.", do: [{ dispatch: "Writer", leaves: ["notice"], goal: "Write the notice." }], next: "DONE" },
    DONE: { title: "The report is written.", do: [{ report: true }, { finish: true }], next: "end" },
  },
  done: { report: true },
};
