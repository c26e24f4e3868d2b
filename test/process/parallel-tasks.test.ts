/**
 * A delivery by three workers: three tasks at once, four roles on two kinds of agents, and a conflict. The built command.
 * `npm run test:long` kills its driver after each command of git.
 */
import { existsSync } from "node:fs";
import { mkdir, readdir } from "node:fs/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { endOf, type DrivenPackage } from "../support/driven-package.ts";
import { conversations, driven, judge, openDelivery, proveDone, toTasks } from "../support/parallel-delivery.ts";

let opened: DrivenPackage;
beforeEach(async () => void (opened = await openDelivery()));
afterEach(() => opened.close());

test("three tasks at once: done, one commit each, a conflict handed back and solved, and no role in another's conversation", async () => {
  const run = await toTasks(opened);
  const meeting = opened.beside("meeting");
  await mkdir(meeting);
  const end = await endOf(opened.start(["drive", run, ...driven], { MEETING: meeting }));
  expect(end.code, end.stdout + end.stderr).toBe(0);
  await proveDone(opened, run, end.stdout);
  // Each Coder waited for the other two.
  expect((await readdir(meeting)).toSorted()).toEqual(["T-001", "T-002", "T-003"]);
  expect(existsSync(opened.beside("alone"))).toBe(false);
  const sessions = await conversations(opened, run);
  const coders = sessions.flatMap(({ step }) => (step.startsWith("Coder:") ? [step] : []));
  expect(coders.slice(0, 3).toSorted()).toEqual(["Coder:T-001", "Coder:T-002", "Coder:T-003"]);
  expect(coders.slice(3)).toEqual(["Coder:T-002"]);
  expect(new Set(sessions.map(({ step, agent }) => `${step.split(":")[0]}: ${agent}`))).toEqual(
    new Set(
      ["SpecAgent: team", "Architect: team", "Planner: team", "Coder: team", "Integrator: team", "Docs: team"].concat(
        ["Reviewer", "QA", "Security"].map((role) => `${role}: ${judge}`),
      ),
    ),
  );
  // No conversation was begun or asked twice, so none has seen another dispatch.
  expect(new Set(sessions.map(({ agent, event }) => `${agent} ${event.sessionId}`)).size).toBe(sessions.length);
  const prompts = await opened.prompts();
  expect(prompts.length).toBe(sessions.filter(({ agent }) => agent === "team").length);
  expect(new Set(prompts.map(({ session }) => session)).size).toBe(prompts.length);
  expect(prompts.map(({ text }) => text.match(/You are \w+\./g)?.length)).toEqual(prompts.map(() => 1));
}, 240_000);
