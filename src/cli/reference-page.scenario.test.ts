import { expect, test } from "vitest";
import { cliPage } from "../../scripts/docs/cli-page.mjs";
import { dialectCommands } from "../../test/support/all-dialects.ts";
import { commandSpecs, exitCodeHelp } from "./command-tree.ts";
import { fileKeys, replyKeys, stepKeys } from "./testing/test-keys.ts";

test("the reference page has every command, option, example, exit code and key of test files", async () => {
  const page = await cliPage();
  for (const spec of commandSpecs(dialectCommands)) {
    expect(page).toContain(`### \`waymark ${spec.usage}\`\n\n${spec.summary}\n`);
    for (const option of (spec.options ?? []).filter(({ hidden }) => hidden !== true))
      expect(page).toContain(`| \`${option.flags.replaceAll("|", "\\|")}\` | ${option.description}`);
    for (const example of spec.examples) expect(page).toContain(`\n${example}\n`);
  }
  for (const [code, meaning] of exitCodeHelp(dialectCommands)) expect(page).toContain(`| ${code} | ${meaning} |`);
  for (const keys of [fileKeys, stepKeys, replyKeys]) {
    for (const [key, { about }] of Object.entries(keys)) expect(page).toContain(`| \`${key}\` | ${about} |`);
  }
});
