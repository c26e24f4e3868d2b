/** The examples in steps, each with the agent that does its work. */
import { isObject, textOf, type Json, type JsonObject } from "../../src/base/index.ts";
import { exampleDoer } from "./example-agent.ts";
import { authorsId } from "./handed-out.ts";
import type { Agent } from "./literal-client.ts";

export interface StepsCase {
  readonly example: string;
  readonly workflow: string;
  readonly inputs?: JsonObject;
  /** How it ends; completed when nothing is said. */
  readonly ends?: "failed";
  readonly agent: (folder: string) => Agent | Promise<Agent>;
}

type Answer = Json | ((params: JsonObject) => Json);

/** Answers by method, or else by the author's id of the step; who has no answer says so. */
function answering(given: Readonly<Record<string, Answer>>): () => Agent {
  return () => {
    const tries: Record<string, number> = {};
    const answerOf = (name: string, params: JsonObject): Json => {
      const held = given[name];
      if (typeof held === "function") return held({ ...params, tries: (tries[name] = (tries[name] ?? 0) + 1) });
      if (held === undefined) throw new Error(`nobody knows how to do ${name}`);
      return held;
    };
    return {
      answer: (step) => textOf(answerOf(authorsId(step), {})),
      work: (step) => {
        const { method, params } = step.definition;
        try {
          return { result: answerOf(typeof method === "string" ? method : authorsId(step), isObject(params) ? params : {}) };
        } catch (error) {
          return { error: error instanceof Error ? error.message : String(error) };
        }
      },
    };
  };
}

function failing(message: string): never {
  throw new Error(message);
}

/** Calls the tools and works on the files of the example itself. */
async function toolUser(folder: string): Promise<Agent> {
  const does = await exampleDoer(folder);
  return {
    work: async (step) => ({ result: (await does(step, undefined)) ?? null }),
    answer: () => "only src/money.ts",
  };
}

const galleryCases: Readonly<Record<string, Readonly<Record<string, Answer>>>> = {
  "basic-structure": { read_files: ({ files = null }) => files },
  "state-features": { run_test_suite: { failed: 0, files: ["src/c.js"] } },
  "step-types": {
    ask: "branch main",
    "tool.method": { ok: 1 },
    interactive: '{"x":1}',
    "files.hint": { applied_count: 2 },
    deploy: null,
    read_files: "text",
  },
  composition: {
    check_typescript: (params) => ({ errors: JSON.stringify(params).includes("src/a.ts") ? 2 : 0 }),
    lint_project: { errors: 1 },
  },
  "flat-names": {},
  "default-state": {},
  "line-counts": {},
  "context-limits": { work: ({ part = null }) => part },
  "step-errors": {},
  "task-errors": { process: (params) => (JSON.stringify(params).includes("src/c.ts") ? failing("no memory") : null) },
  "workflow-errors": {},
  "transformation-errors": {},
  "error-tracking": { flaky: ({ tries }) => (tries === 1 ? failing("once") : null) },
};

export const stepsCases: readonly StepsCase[] = [
  { example: "standards-fix", workflow: "standards:fix", agent: toolUser },
  { example: "dependency-analysis", workflow: "deps:analyze", agent: toolUser },
  { example: "shared-checks", workflow: "quality:gate", agent: toolUser },
  { example: "task-graph", workflow: "release:plan", inputs: { facts: { schema_changed: true } }, agent: toolUser },
  ...Object.entries(galleryCases).map(([name, given]): StepsCase => {
    const ends = name === "workflow-errors" ? { ends: "failed" as const } : {};
    return { example: "gallery", workflow: `gallery:${name}`, ...ends, agent: answering(given) };
  }),
];
