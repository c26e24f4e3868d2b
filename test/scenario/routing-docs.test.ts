/** docs/routing.md is true: its workflow can be started, and its messages come to what it says. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { route } from "../../src/router/index.ts";
import { readUtterances, routedProject } from "../support/routed-project.ts";
import { scoreRouting } from "../support/score-routing.ts";
import { openTestEngine } from "../support/test-engine.ts";

const page = readFileSync(join(import.meta.dirname, "../../docs/routing.md"), "utf8");

test("the messages of the table come to its answers, with the workflow above it", async () => {
  const [, text = ""] = /^```yaml\n(.*?)^```/ms.exec(page) ?? [];
  const engine = await openTestEngine({ ".waymark/workflows/release.yaml": text });
  const workflows = await engine.context.catalog.startable();
  await engine.close();
  expect(workflows.map(({ name }) => name)).toEqual(["release:cut"]);
  const rows = [...page.matchAll(/^\| `([^`]+)` \| `(route|ask|converse)` \|/gm)].map(([, message = "", answer = ""]) => ({
    message,
    answer,
  }));
  expect(rows.length).toBeGreaterThan(6);
  const answers = await Promise.all(rows.map(async ({ message }) => ({ message, answer: (await route({ message, workflows })).kind })));
  expect(answers).toEqual(rows);
});

test("its figures are those that are measured now", async () => {
  const engine = await openTestEngine(routedProject());
  const workflows = await engine.context.catalog.startable();
  await engine.close();
  const files = ["utterances.yaml", "held-out.yaml", "fresh.yaml", "hard.yaml"].map(readUtterances);
  const described = workflows.map(({ name, description }) => ({ name, description }));
  const scores = await Promise.all([...files.map((each) => scoreRouting(each, workflows)), scoreRouting(files.flat(), described)]);
  const rows = [...page.matchAll(/^\| (?:written|the part|hard|all of them)[^|]*((?:\| \d+ ){6})\|$/gm)].map(([, cells = ""]) =>
    cells.match(/\d+/g)?.map(Number),
  );
  expect(rows).toEqual(scores.map((of) => [of.requests, of.routed, of.right, of.right + of.asked, of.talks, of.startedByTalk]));
  expect(page).toContain(`${files.flat().length} texts, ${scores.at(-1)?.talks} of which`);
});
