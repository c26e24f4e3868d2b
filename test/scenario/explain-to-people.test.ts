import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openCliBench } from "../process/cli-world.ts";
import { explainToPeople, withoutHoles } from "../../src/source/index.ts";

test("what matters to people comes before the plan, and what is missing is said", () => {
  const told = () => ({ happens: ["First.", " Inside.", "Then."], asks: ["Go on?"], ends: "After that." });
  const explained = { told, text: () => "name 1.0\nAbout.\n\n- a [b]\n", mermaid: () => "", data: () => ({}) };
  expect(explainToPeople(explained, ["command: ls"])).toBe(`name 1.0
About.

What happens:
  1. First.
      Inside.
  2. Then.

What you are asked:
  - Go on?

What Waymark runs on your computer:
  - command: ls

When it ends:
  After that.

The plan:

- a [b]`);
  const nothing = explainToPeople({ ...explained, told: () => ({ happens: [], asks: [], ends: "At once." }) }, []);
  expect(nothing).toContain("What you are asked:\n  Nothing, unless something fails.");
  expect(nothing).toContain("What Waymark runs on your computer:\n  Nothing.");
});

test.each([
  ["Hello {{ inputs.name }}.", "Hello <name>."],
  ["{{ a }} of {{ total }}", "<a> of <total>"],
  ["{{ items.length > 3 ? 'many' : 'few' }}", "<...>"],
])("%j is told as %j", (text, told) => expect(withoutHoles(text)).toBe(told));

const bundled = readdirSync(join(import.meta.dirname, "../../workflows"))
  .filter((name) => name.endsWith(".yaml"))
  .flatMap((name) => {
    const [, found] =
      /^(?:machine|type|name):\s*["']?([\w:-]+)/m.exec(readFileSync(join(import.meta.dirname, "../../workflows", name), "utf8")) ?? [];
    return found === undefined || name.endsWith(".machine.yaml") ? [name.replace(/\..*/, "")] : [found];
  });

test("of every bundled workflow it says what happens, what is asked, what is run and when it ends, without a name of the inside", async () => {
  const bench = await openCliBench();
  for (const name of bundled) {
    const { code, stdout, stderr } = await bench.run(["explain", name]);
    expect([name, code, stderr]).toEqual([name, 0, ""]);
    const [people = ""] = stdout.split("\nThe plan:\n");
    for (const part of ["What happens:\n  1. ", "What you are asked:\n  ", "What Waymark runs on your computer:\n  ", "When it ends:\n  "])
      expect(people).toContain(part);
    expect(people.replaceAll(/^ {2}- (?:command|script).*$/gm, "")).not.toMatch(/\{\{|undefined|\[object|machine\.|raw\.|output\?/);
  }
  await bench.close();
});
