import { expect, test } from "vitest";
import { promptsDialect } from "../prompts-dialect.ts";

/** The problems of a file whose only prompt is `plan`, with what to do about them. */
function problems(text: string): string[] {
  const { diagnostics } = promptsDialect.load({
    main: { path: "x.yaml", text, name: "x", source: "project" },
    imports: { "x.yaml\0steps/plan.md": { path: "steps/plan.md", text: "Plan." } },
    workflows: {},
    called: {},
    programs: {},
    within: false,
  });
  return diagnostics.map(({ severity, code, message, fix }) => `${severity} ${code}: ${message} ${fix ?? ""}`);
}

const head = "name: odd\ndescription: x\n";

test.each([
  ["permissions", "a workflow", "permission"],
  ["permision", "a step", "permission"],
  ["alowed_tools", "a step", "allowed_tools"],
  ["disallowed_tools", "a step", "denied_tools"],
  ["deniedTools", "a step", "denied_tools"],
  ["retries", "a step", "retry"],
  ["on_lost", "a step", "on_lost_context"],
  ["provder", "a workflow", "provider"],
  ["modle", "a step", "model"],
  ["artefacts", "a step", "artifacts"],
  ["comands", "`permission`", "commands"],
  ["max_atempts", "`retry`", "max_attempts"],
  ["until_bash", "`loop`", "until"],
])("`%s` of %s is an error, since `%s` decides what runs and what is allowed", (key, where, known) => {
  const files: Readonly<Record<string, string>> = {
    "a workflow": `steps: [{ step: plan }]\n${key}: x\n`,
    "a step": `steps: [{ step: plan, ${key}: x }]\n`,
    "`permission`": `permission: { level: edit, ${key}: [x] }\nsteps: [{ step: plan }]\n`,
    "`retry`": `steps: [{ step: plan, retry: { max_attempts: 2, ${key}: 1 } }]\n`,
    "`loop`": `loop: { until: X, max_iterations: 2, ${key}: x }\nprompt: P\n`,
  };
  const message = `error PROMPTS_UNKNOWN_KEY: \`${key}\` is not a key of ${where}. Did you mean \`${known}\`?`;
  expect(problems(`${head}${files[where] ?? ""}`)).toEqual([message]);
});

test("a key of steps that the workflow has says where it belongs", () => {
  const message =
    "error PROMPTS_UNKNOWN_KEY: `denied_tools` is not a key of a workflow. `denied_tools` belongs to a step: write it in each step that it is for.";
  expect(problems(`${head}denied_tools: [Bash]\nsteps: [{ step: plan }]\n`)).toEqual([message]);
});

test("an unknown key that is near none is a warning that lists the known ones", () => {
  const [only = "", ...others] = problems(`${head}steps: [{ step: plan, foo: 1 }]\n`);
  expect(others).toEqual([]);
  expect(only).toMatch(/^warning PROMPTS_UNKNOWN_KEY: `foo` is not a key of a step\. Allowed here: `step`, /);
});

test.each([
  [
    "a description of spaces",
    'name: odd\ndescription: "   "\nsteps: [{ step: plan }]\n',
    "PROMPTS_BAD_VALUE: `description` must not be empty.",
  ],
  ["a name of 256 characters", `name: ${"x".repeat(256)}\ndescription: x\nsteps: [{ step: plan }]\n`, "PROMPTS_BAD_VALUE: `name` "],
  [
    "a time that no timer can wait",
    `${head}steps: [{ step: plan, idle_timeout: 2147483648 }]\n`,
    "PROMPTS_BAD_VALUE: `steps[0].idle_timeout` ",
  ],
  [
    "a message twice",
    `${head}steps: [{ workflow: w, input: a, with: { user_message: b } }]\n`,
    "PROMPTS_ONE_FORM: `input` and `user_message` of `with`",
  ],
  [
    "a step beside others that continues a conversation",
    `${head}steps: [{ step: plan }, { parallel: [{ step: plan, context: last }, { step: plan }] }]\n`,
    "PROMPTS_ONE_FORM: A member of `parallel` has no conversation to continue",
  ],
  [
    "a prompt with its ending",
    `${head}steps: [{ step: plan.md }]\n`,
    "PROMPTS_NO_PROMPT: Step prompt not found: plan.md.md Write the name without `.md`: `plan`.",
  ],
])("%s is an error", (_what, text, problem) => {
  expect(problems(text).filter((line) => !line.includes("UNKNOWN_WORKFLOW"))).toEqual([expect.stringContaining(`error ${problem}`)]);
});

test("the longest times and names are no problem, nor is a message beside other inputs", () => {
  const text = `name: ${"x".repeat(255)}\ndescription: x\nsteps: [{ step: plan, idle_timeout: 2147483647 }, { workflow: w, input: a, with: { y: b } }]\n`;
  expect(problems(text).filter((line) => !line.includes("UNKNOWN_WORKFLOW"))).toEqual([]);
});

test("sizes in the place of models are named once for each file", () => {
  const text = `${head}model: small\nsteps: [{ step: plan, model: "@mini" }, { step: plan, model: small }, { step: plan, model: opus }]\n`;
  expect(problems(text)).toEqual([
    'warning PROMPTS_SIZE: `small` and `@mini` are not names of models: each agent has for them what its entry in the configuration says, else its usual model. Say which model it is below `agents`, such as `claude: { models: { "small": <model> } }`, or leave it at the usual one.',
  ]);
  expect(problems(`${head}model: smaller\nsteps: [{ step: plan }]\n`)).toEqual([]);
});
