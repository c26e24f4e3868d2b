import { expect, test } from "vitest";
import { walkGraphs } from "../support/graph-walk.ts";

const walks = 400;

test("made graphs are as their model says after every failure, retry, rejection and kill (the rest)", async () => {
  const sum = await walkGraphs(walks);
  process.stdout.write(`walks of graphs (the rest): ${JSON.stringify(sum)}\n`);
  expect(sum.walks).toBe(walks);
  expect(Math.min(sum.kills, sum.retries, sum.rejections, sum.skips, sum.includes)).toBeGreaterThan(walks / 10);
}, 900_000);
