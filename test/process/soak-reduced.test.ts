import { expect, test } from "vitest";
import { runNode } from "../../scripts/run-tool.mjs";

test("a short soak holds: nothing crashes or hangs, every answer comes in time with a listed code, every attack is refused", async () => {
  const { code, output } = await runNode(["scripts/soak.mjs", "--cases", "1000", "--seed", "1", "--reduced"]);
  expect(code, output).toBe(0);
  for (const part of ["yaml", "tools", "commands", "stdio", "postgres", "hostile"])
    expect(output).toMatch(new RegExp(`^${part} +[1-9]\\d* cases +0 failed`, "m"));
  expect(output).toMatch(/^1\d\d\d cases, 0 failed, seed 1$/m);
}, 300_000);
