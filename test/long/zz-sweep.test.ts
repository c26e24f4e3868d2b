import { afterEach, beforeEach, expect, test } from "vitest";
import type { DrivenPackage } from "../support/driven-package.ts";
import { killedAfter, openGraph } from "../support/parallel-graph.ts";
let opened: DrivenPackage;
beforeEach(async () => void (opened = await openGraph()));
afterEach(() => opened.close());
const from = Number(process.env.FROM), to = Number(process.env.TO), step = Number(process.env.STEP ?? 1);
test.each(Array.from({ length: Math.ceil((to - from) / step) }, (_, i) => from + i * step))("nth %d", async (nth) => {
  expect(await killedAfter(opened, "core.fsmonitor=false", nth)).toBe("completed");
}, 120000);
