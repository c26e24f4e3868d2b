/** A client that does what replies say walks a graph with a group to its end, also when it repeats every call or restarts without memory. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { openWorld, type McpWorld } from "../../process/mcp-client.ts";
import { driveLiterally, type ClientMode } from "../../support/literal-client.ts";

const graph = `nodes:
  - { id: plan, prompt: Plan it. }
  - id: rounds
    depends_on: [plan]
    loop_group:
      max_iterations: 3
      until_bash: test $judge.output = good
      nodes:
        - { id: write, prompt: "Write it, after $LOOP_PREV.judge.output." }
        - { id: judge, prompt: "Judge it.", depends_on: [write] }
  - { id: tell, prompt: Tell it., depends_on: [rounds] }
`;

let world: McpWorld;
beforeAll(async () => {
  world = await openWorld({ walked: graph });
});
afterAll(() => world.close());

const modes: readonly ClientMode[] = ["plain", "repeats", 3];

async function walked(mode: ClientMode): Promise<{ readonly status: string; readonly ids: readonly (string | undefined)[] }> {
  let judged = 0;
  const agent = {
    answer: () => "",
    work: ({ id }: { readonly id: string }) => {
      if (!id.startsWith("judge")) return { result: `Did ${id}.` };
      judged += 1;
      return { result: judged < 2 ? "bad" : "good" };
    },
  };
  const { status, steps } = await driveLiterally(world, "walked", agent, { mode });
  return { status, ids: steps.map((id) => id.split("@")[0]) };
}

test.each(modes)("by a client of the kind %s", async (mode) => {
  const { status, ids } = await walked(mode);
  expect(status).toBe("completed");
  expect(new Set(ids)).toEqual(new Set(["plan", "write", "judge", "tell"]));
});

test("in the order of the graph, round by round", async () => {
  expect((await walked("plain")).ids).toEqual(["plan", "write", "judge", "write", "judge", "tell"]);
});
