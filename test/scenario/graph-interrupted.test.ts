import { afterAll, beforeAll, expect, test } from "vitest";
import { GraphBench } from "../support/graph-bench.ts";

let bench: GraphBench;
beforeAll(async () => {
  bench = await GraphBench.open();
});
afterAll(() => bench.close());

test("an approval whose driving is interrupted at its rework is asked again afterwards, with the rejection counted once", async () => {
  const run = await bench.run(
    "- id: ok\n  approval: { message: Go?, on_reject: { prompt: 'Rework: $REJECTION_REASON', max_attempts: 2 } }",
  );
  await run.answer("reject", "short");
  const stop = new AbortController();
  const prompts: string[] = [];
  await run.drive(
    (prompt, turn) => {
      prompts.push(prompt);
      stop.abort();
      return { stop: turn.signal?.aborted === true ? "cancelled" : "end", text: "" };
    },
    { cancel: stop.signal, finish: stop.signal },
  );
  expect(run.end).toMatchObject({ kind: "parked" });
  await run.drive((prompt) => (prompts.push(prompt), "longer"));
  expect(prompts.every((prompt) => prompt.includes("Rework: short"))).toBe(true);
  expect(run.questions).toHaveLength(1);
  await run.answer("approve", "");
  await run.drive();
  expect(run.end).toMatchObject({ kind: "completed" });
});
