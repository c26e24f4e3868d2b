import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openCliBench, type CliBench } from "../../../test/process/cli-world.ts";

const release = `name: cut-release
description: Publishes a new version of the package.
triggers: ["cut a release", "publish a new version"]
inputs: { notes: { type: string, required: true, description: What changed }, level: { type: number, required: true, description: 1 to 3 } }
steps: [{ id: say, type: user_message, message: "{{ inputs.notes }}" }]
`;
const broken = `name: broken-release
description: Publishes a new version of the package.
triggers: ["cut a release"]
steps: [{ id: say, type: user_mesage }]
`;

let bench: CliBench;
beforeEach(async () => {
  bench = await openCliBench({ ".waymark/workflows/cut-release.yaml": release, ".waymark/workflows/broken-release.yaml": broken });
});
afterEach(() => bench.close());

interface Document {
  readonly candidates: readonly { readonly workflow: string; readonly start: string; readonly asks: readonly string[] }[];
}

describe("route", () => {
  test("names the workflow, why, and the line that starts it with the request", async () => {
    const { stdout, code } = await bench.run(["route", "There's", "a", "bug:", "it", "can't", "save.", "Please", "fix", "the", "bug."]);
    expect(code).toBe(0);
    expect(stdout).toContain("`fix-issue` takes this (decided by its words). Nothing is started.");
    expect(stdout).toMatch(/^ {2}fix-issue +\d+\.\d+ +says "fix the bug"; shares /m);
    const line = `waymark start fix-issue --input 'user_message=There'\\''s a bug: it can'\\''t save. Please fix the bug.'`;
    expect(stdout).toContain(`→ ${line}\n`);
    expect((await bench.run(["status"])).stdout).not.toContain("fix-issue");
  });

  test("the seed's request finds the seed's workflow", async () => {
    expect(await bench.json(["route", "Build a dark mode feature"])).toMatchObject({
      kind: "route",
      workflow: "feature-development",
      by: "words",
    });
  });

  test("the line that it prints starts the workflow with this request", async () => {
    const request = "Add a button to the form\n  that says 'Save'.";
    const { next_command: line } = await bench.json<{ next_command: string }>(["route", request]);
    const [, input = ""] = /^waymark start feature-development --input '(.*)'$/s.exec(line) ?? [];
    const started = await bench.json(["start", "feature-development", "--input", input.replaceAll(`'\\''`, "'")]);
    expect(JSON.stringify(started)).toContain(JSON.stringify(request).slice(1, -1));
  });

  test("a line has a place for what no request can give, and works when it is filled in", async () => {
    const request = "upgrade the extension to BC 25";
    const marks = '{"source_version":"<source_version>","target_version":"<target_version>"}';
    const { stdout } = await bench.run(["route", request]);
    const lineWith = (options: string): string => `waymark start bc-version-upgrade --input 'options=${options}'`;
    // What the request says is there already.
    const start = lineWith(marks.replace("<target_version>", "BC25"));
    expect(stdout).toContain(`It needs \`source_version\` (in \`options\`). Then: ${start}\n`);
    expect(await bench.json(["route", request])).toMatchObject({ later_command: start });
    expect((await bench.run(["info", "bc-version-upgrade"])).stdout).toContain(`→ ${lineWith(marks)}\n`);
    const left = await bench.run(["start", "bc-version-upgrade", "--input", `options=${marks}`]);
    expect([left.code, left.stderr]).toEqual([2, expect.stringContaining("The input `options` still says `<source_version>`")]);
    const bare = await bench.run(["start", "bc-version-upgrade"]);
    const [, fixed = ""] = /--input '(options=.*)'/.exec(bare.stderr) ?? [];
    for (const input of [`options=${marks.replace("<source_version>", "BC24").replace("<target_version>", "BC25")}`, fixed])
      expect(await bench.run(["start", "bc-version-upgrade", "--input", input]), input).toMatchObject({ code: 0 });
  });

  test("says what has to be asked for where the request is not enough", async () => {
    const { stdout } = await bench.run(["route", "cut a release with the new parser"]);
    expect(stdout).toContain(
      "It needs `level` (1 to 3). Then: waymark start cut-release --input 'notes=cut a release with the new parser' --input 'level=<level>'",
    );
    expect(await bench.json(["route", "cut a release"])).toMatchObject({
      kind: "route",
      later_command: "waymark start cut-release --input 'notes=cut a release' --input 'level=<level>'",
    });
  });

  test("leaves out what cannot be started, and shows the one that counts of two with one name", async () => {
    await bench.write(".waymark/workflows/feature-development.yaml", release.replace("cut-release", "feature-development"));
    const { candidates } = await bench.json<Document>(["route", "please publish a new version"]);
    expect(candidates.map(({ workflow }) => workflow)).toEqual(["cut-release", "feature-development"]);
  });

  test("asks where two fit, with a line for each", async () => {
    await bench.write(".waymark/workflows/tag-release.yaml", release.replace("cut-release", "tag-release"));
    const { stdout } = await bench.run(["route", "cut a release"]);
    expect(stdout).toContain("It is not clear which workflow this asks for. Nothing is started. Start the one you mean:");
    expect(stdout).toContain("\n  waymark start cut-release --input");
    expect(stdout).toContain("\n  waymark start tag-release --input");
  });

  test("a question starts nothing", async () => {
    const { stdout } = await bench.run(["route", "What does a release cost us?"]);
    expect(stdout).toMatch(/^This asks for no workflow, so nothing would be started\./);
    expect(await bench.json(["route", "how are you?"])).toEqual({ kind: "converse", by: "words", intent: "how are you?", candidates: [] });
  });

  test("a long request is read from stdin and left to be filled in", async () => {
    const long = `Please fix the bug.\n${"at line 1\n".repeat(300)}`;
    const { next_command, later_command } = await bench.json<Record<string, string>>(["route", "-"], { typed: [long] });
    expect(next_command).toBeUndefined();
    expect(later_command).toBe("waymark start fix-issue --input 'user_message=<user_message>'");
  });

  test("control characters reach no terminal", async () => {
    const { stdout } = await bench.run(["route", "fix the bug \u001b]0;owned\u0007 now"]);
    expect(stdout).not.toContain("\u001b]");
    expect(stdout).toContain("Then: waymark start fix-issue --input 'user_message=<user_message>'");
  });

  test("nothing to route is refused", async () => {
    expect(await bench.run(["route", "  "])).toMatchObject({ code: 2, stderr: expect.stringContaining("There is no request to route.") });
  });
});

describe("route with an agent", () => {
  const script = (...says: string[]): string =>
    JSON.stringify({ turns: [{ match: "Available Workflows", do: says.map((say) => ({ say })) }] });
  const asked = ["route", "do the thing", "--agent", "script:router.yaml"];

  test("the agent decides, with an intent of its own", async () => {
    await bench.write("router.yaml", script("I see.", "WORKFLOW: fix-issue\nRepair the thing."));
    const { stdout } = await bench.run(asked);
    expect(stdout).toContain("`fix-issue` takes this (decided by the agent). Nothing is started.");
    expect(stdout).toContain("waymark start fix-issue --input 'user_message=Repair the thing.'");
  });

  test("its answer is shown where it names no workflow", async () => {
    await bench.write("router.yaml", script("Which thing do you mean?"));
    expect((await bench.run(asked)).stdout).toMatch(/^Which thing do you mean\?\n/);
    expect(await bench.json(asked)).toMatchObject({ kind: "converse", by: "model", answer: "Which thing do you mean?" });
  });

  test("words decide where it fails, and the reason is shown", async () => {
    await bench.write("router.yaml", JSON.stringify({ turns: [{ match: "never", do: [] }] }));
    const { stdout } = await bench.run(["route", "fix the bug", "--agent", "script:router.yaml"]);
    expect(stdout).toMatch(/^! The router's agent failed, so words decided: .*The script has no turn for this prompt\./);
    expect(stdout).toContain("`fix-issue` takes this (decided by its words).");
  });

  test("an agent that cannot be used is refused", async () => {
    expect(await bench.run(["route", "fix the bug", "--agent", "cluade"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("Did you mean `claude`?"),
    });
  });
});
