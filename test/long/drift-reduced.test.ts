import { expect, test } from "vitest";
import { runDrift } from "../drift/run-drift.ts";

/** `npm run drift` tries 20 seeds of every kind on larger trees; this is the same with two, on trees of eight files. */
test("whatever an agent does instead of its work, every file is accounted for in the end", async () => {
  const lines: string[] = [];
  const held = await runDrift({ seeds: 2, mostFiles: 8, lanes: 6, surface: "mcp", say: (line) => lines.push(line) });
  process.stdout.write(`${lines.join("\n")}\n`);
  expect(held, lines.join("\n")).toBe(true);
  expect(lines.join("\n")).toMatch(/^16 runs over MCP: .* 0 complaints$/m);
}, 300_000);
