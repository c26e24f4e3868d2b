/** Which failures of a task its own `retry` is used for. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { chainFiles } from "../../../test/support/prompt-files.ts";
import { SeedBench } from "../../../test/support/seed-bench.ts";

let bench: SeedBench;
beforeAll(async () => {
  bench = await SeedBench.open();
});
afterAll(() => bench.close());

let made = 0;
async function afterFailure(on: string, error: string): Promise<string> {
  const name = `failing-${(made += 1)}`;
  const files = chainFiles(
    `  - step: ${name}\n    retry: { max_attempts: 1, delay_ms: 60000, on_error: ${on} }`,
    { [name]: "P" },
    { name },
  );
  for (const [path, text] of Object.entries(files)) await bench.engine.write(path, text);
  const run = await bench.start(name);
  await run.done(undefined, { status: "failed", error, waitMs: 0 });
  return run.status === "failed" ? "failed" : run.at;
}

test("refused credentials are never tried again, whatever else the message says", async () => {
  for (const error of ["401 unauthorized", "403 Forbidden", "invalid API key", "credit balance too low", "timeout, then 401"])
    for (const on of ["all", "transient"]) expect(await afterFailure(on, error), `${on}: ${error}`).toBe("failed");
});

test("what passes by itself is tried again in both ways", async () => {
  for (const error of ["request timed out", "connection reset", "429 too many requests", "503", "the agent crashed"])
    for (const on of ["all", "transient"]) expect(await afterFailure(on, error), `${on}: ${error}`).toBe("working");
});

test("anything else is tried again only with all", async () => {
  expect(await afterFailure("transient", "the tests do not pass")).toBe("failed");
  expect(await afterFailure("all", "the tests do not pass")).toBe("working");
});
