/** docs/routing.md is true: its workflow can be started, and its messages come to what it says. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { route } from "../../src/router/index.ts";
import { readRoutables, readUtterances, routedProject } from "../support/routed-project.ts";
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
  const others = ["shop", "hospital", "game-engine", "bank"].map((set) => ({
    texts: readUtterances(`${set}/utterances.yaml`),
    of: readRoutables(`${set}/workflows.yaml`),
  }));
  const scores = await Promise.all([
    ...files.map((each) => scoreRouting(each, workflows)),
    scoreRouting(files.flat(), described),
    ...others.map(({ texts, of }) => scoreRouting(texts, of)),
  ]);
  const rows = [
    ...page.matchAll(/^\| (?:written|the second|hard|all of these|a shop|a hospital|a game engine|a bank)[^|]*((?:\| \d+ ){6})\|$/gm),
  ].map(([, cells = ""]) => cells.match(/\d+/g)?.map(Number));
  expect(rows).toEqual(scores.map((of) => [of.requests, of.routed, of.right, of.right + of.asked, of.talks, of.startedByTalk]));
  const all = [...files, ...others.map(({ texts }) => texts)].flat();
  expect(page).toContain(`${all.length} texts, ${all.filter(({ wanted }) => wanted === undefined).length} of which`);
});
