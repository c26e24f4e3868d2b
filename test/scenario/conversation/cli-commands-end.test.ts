/** A command line that ends leaves no command of the run half-way: what it began it finishes, and what follows is begun by the next one. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { openCliBench, type CliBench } from "../../process/cli-world.ts";

const head = (name: string): string => `name: ${name}\ndescription: d\nversion: "1.0.0"\n`;
const commands = (policy: string): string => `${head(`after-${policy}`)}steps:
  - { id: q, type: user_input, prompt: "Name?", state_update: { path: raw.name } }
  - { id: s, type: shell_command, command: "echo s >> ran.txt", on_lost: ${policy} }
  - { id: t, type: shell_command, command: "echo t >> ran.txt", on_lost: ${policy} }
  - { id: z, type: user_message, message: z }
`;
const policies = ["retry", "continue", "ask", "fail"];

let bench: CliBench;
beforeEach(async () => {
  bench = await openCliBench({
    ...Object.fromEntries(policies.map((policy) => [`.waymark/workflows/${policy}.yaml`, commands(policy)])),
    ".waymark/workflows/long.yaml": `${head("long")}steps:
  - { id: s, type: shell_command, command: "echo x >> ran.txt; sleep 0.3; echo y >> ran.txt", on_lost: fail }
  - { id: z, type: user_message, message: z }
`,
  });
});
afterEach(() => bench.close());

test.each(policies)("after an answer, with on_lost: %s", async (policy) => {
  await bench.run(["allow", `after-${policy}`, "--yes"], { terminal: true });
  const { run_id, action_id } = await bench.json<Record<string, string>>(["start", `after-${policy}`]);
  const answered = await bench.run(["decide", run_id ?? "", action_id ?? "", "Ada"], { terminal: true });
  expect(answered.code, answered.stderr).toBe(0);
  const { step } = await bench.json<{ step: { id: string } | null }>(["next", run_id ?? ""]);
  expect([step?.id.replace(/@.*/, ""), await bench.read("ran.txt")]).toEqual(["z", "s\nt\n"]);
});

test("when the time to wait is shorter than a command", async () => {
  await bench.run(["allow", "long", "--yes"], { terminal: true });
  const { run_id } = await bench.json<Record<string, string>>(["start", "long", "--wait", "0s"]);
  const { step } = await bench.json<{ step: { id: string } | null }>(["next", run_id ?? ""]);
  expect([step?.id.replace(/@.*/, ""), await bench.read("ran.txt")]).toEqual(["z", "x\ny\n"]);
});
