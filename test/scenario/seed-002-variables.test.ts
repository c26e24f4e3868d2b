/** Seed 002: what prompts can name, and that nothing a user writes is taken for anything else. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { textOf } from "../../src/base/index.ts";
import { chainFiles } from "../support/prompt-files.ts";
import { SeedBench } from "../support/seed-bench.ts";

let bench: SeedBench;
beforeAll(async () => {
  bench = await SeedBench.open();
});
afterAll(() => bench.close());

let made = 0;
async function promptOf(prompt: string, message?: string): Promise<{ readonly prompt: string; readonly uuid: string }> {
  const name = `variables-${(made += 1)}`;
  const files = chainFiles(`  - step: ${name}`, { [name]: prompt }, { name });
  for (const [path, text] of Object.entries(files)) await bench.engine.write(path, text);
  const run = await bench.start(name, message === undefined ? {} : { inputs: { user_message: message } });
  return { prompt: textOf(run.step?.definition["prompt"] ?? null), uuid: run.position.state.options.uuid ?? "" };
}

test("$WORKFLOW_ID is the run's uuid, $USER_MESSAGE and $ARGUMENTS what the user wants, $ARTIFACTS_DIR the folder for artifacts", async () => {
  const { prompt, uuid } = await promptOf("$WORKFLOW_ID|$USER_MESSAGE|$ARGUMENTS|$ARTIFACTS_DIR", "dark mode");
  expect(uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(prompt).toBe(`${uuid}|dark mode|dark mode|${bench.engine.host.workspace}/.archon/artifacts/${uuid}`);
});

test("$1 to $9 are words of the message, quoted text one of them; a word that is not there leaves its placeholder", async () => {
  const { prompt } = await promptOf("$1|$2|$3|$4|$12", `add "dark mode" 'right now'`);
  expect(prompt).toBe("add|dark mode|right now|$4|$12");
});

test("a backslash keeps a dollar, unknown names stay, and names are whole", async () => {
  const { prompt } = await promptOf("\\$USER_MESSAGE $HOME $WORKFLOW_IDX $USER_MESSAGES ${USER_MESSAGE} $", "x");
  expect(prompt).toBe("$USER_MESSAGE $HOME $WORKFLOW_IDX $USER_MESSAGES ${USER_MESSAGE} $");
});

test("what the user writes is taken literally: $&, $1, $WORKFLOW_ID and {{ }} survive", async () => {
  const message = "costs $5 or $1, $& $` $' $$ $WORKFLOW_ID $WORKFLOW_IDX \\$USER_MESSAGE {{ 1 + 1 }}";
  expect((await promptOf("<$USER_MESSAGE>", message)).prompt).toBe(`<${message}>`);
});

test("braces in a prompt are plain text", async () => {
  expect((await promptOf("Write {{ name }} and {{ 1 + }}.")).prompt).toBe("Write {{ name }} and {{ 1 + }}.");
});

test("the message must be given where a prompt names it, and only there", async () => {
  await expect(promptOf("Do $1.")).rejects.toMatchObject({ code: "ENGINE_WRONG_INPUTS" });
  await expect(promptOf("Do $USER_MESSAGE.")).rejects.toMatchObject({ code: "ENGINE_WRONG_INPUTS" });
  expect((await promptOf("Do \\$1 and $USER_MESSAGES.")).prompt).toBe("Do $1 and $USER_MESSAGES.");
});
