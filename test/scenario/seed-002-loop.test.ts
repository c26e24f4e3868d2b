/** Seed 002, as it was extended since: one prompt in rounds until a signal. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { SeedBench, type SeedRun } from "../support/seed-bench.ts";

let bench: SeedBench;
beforeAll(async () => {
  bench = await SeedBench.open();
});
afterAll(() => bench.close());

let made = 0;
async function begin(loop = "until: ALL_DONE, max_iterations: 3"): Promise<SeedRun> {
  const name = `rounds-${(made += 1)}`;
  await bench.engine.write(
    `.archon/workflows/${name}.yaml`,
    `name: ${name}\ndescription: x\nloop: { ${loop} }\nprompt: Do one thing for $USER_MESSAGE.\n`,
  );
  return bench.start(name, { inputs: { user_message: "me" } });
}

test("the prompt is handed out again until an answer has the signal, which is taken out of it", async () => {
  const run = await begin();
  expect(run.step?.definition["prompt"]).toBe("Do one thing for me.");
  expect(run.step?.instructions).toContain("<promise>ALL_DONE</promise>");
  await run.done("One is done.");
  expect(run.step?.id).toBe("loop");
  await run.done("Everything is done. <promise>ALL_DONE</promise>");
  expect(run.status).toBe("completed");
  expect(await run.read("raw.output")).toBe("Everything is done.");
});

describe("the signal", () => {
  test.each([
    "<promise>ALL_DONE</promise>",
    "<PROMISE> ALL_DONE </Promise> and more",
    "All is done.\nALL_DONE",
    "All is done.\n  ALL_DONE  \n\n",
  ])("is given by %j", async (answer) => {
    const run = await begin();
    await run.done(answer);
    expect(run.status).toBe("completed");
  });

  test.each([
    "not replying ALL_DONE",
    "ALL_DONE is not reached",
    "ALL_DONE\nbut one is left",
    "all_done",
    "<promise>ALL_DONE_NOT</promise>",
  ])("is not given by %j", async (answer) => {
    const run = await begin();
    await run.done(answer);
    expect(run.status).toBe("running");
  });

  test("is taken as it is written, also with characters that mean something in patterns", async () => {
    const run = await begin('until: "DONE (100%)", max_iterations: 3');
    await run.done("DONE 100%");
    expect(run.status).toBe("running");
    await run.done("<promise>DONE (100%)</promise>");
    expect(run.status).toBe("completed");
  });
});

test("too many rounds fail the run", async () => {
  const run = await begin("until: ALL_DONE, max_iterations: 2");
  await run.done("one");
  await run.done("two");
  expect(run.status).toBe("failed");
  expect(run.error).toMatchObject({ code: "LOOP_LIMIT", message: "2 rounds without `ALL_DONE`." });
});

test("the first round is fresh, further ones continue unless each is to be fresh", async () => {
  const contexts = async (loop?: string): Promise<unknown[]> => {
    const run = await begin(loop);
    const found: unknown[] = [];
    for (let round = 0; round < 2; round += 1) {
      const { standing } = run.position;
      if (standing.kind === "action") found.push(standing.action.args["context"]);
      await run.done("more");
    }
    return found;
  };
  expect(await contexts()).toEqual(["fresh", "last"]);
  expect(await contexts("until: X, max_iterations: 3, fresh_context: true")).toEqual(["fresh", "fresh"]);
});
