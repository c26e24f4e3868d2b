import { afterAll, expect, test } from "vitest";
import { samples } from "../support/broken-sessions.ts";
import { openCliBench, type CliBench } from "./cli-world.ts";

const benches: CliBench[] = [];
afterAll(async () => {
  for (const bench of benches) await bench.close();
});

async function bench(): Promise<CliBench> {
  const opened = await openCliBench();
  benches.push(opened);
  return opened;
}

interface Report {
  readonly sessions: readonly {
    readonly session: string;
    readonly defects: readonly { readonly kind: string; readonly repairable: boolean }[];
  }[];
}

/** A folder name for each kind; one of them breaks the rule for names itself. */
function placeOf(kind: string): string {
  return kind === "MACHINE_SESSION_NAME" ? "My Session" : "2026-03-02_fix-login";
}

test("the doctor names every kind of defect in real session folders", async () => {
  const named = new Set<string>();
  const missed: string[] = [];
  const box = await bench();
  for (const [kind, [sample]] of Object.entries(samples)) {
    const root = `case-${kind}`;
    for (const [file, text] of Object.entries(sample.files)) await box.write(`${root}/.agents-work/${placeOf(kind)}/${file}`, text);
    const result = await box.run(["--json", "doctor"], { cwd: `${box.workspace}/${root}` });
    const { sessions } = JSON.parse(result.stdout) as Report;
    const kinds = sessions.flatMap(({ defects }) => defects.map((defect) => defect.kind));
    if (kinds.includes(kind)) named.add(kind);
    else missed.push(kind);
  }
  process.stdout.write(`${named.size} of ${Object.keys(samples).length} kinds of defects named by the doctor\n`);
  expect(missed).toEqual([]);
  expect(named.size).toBe(Object.keys(samples).length);
}, 120_000);

test("a repair is shown as a difference, asked for, and keeps the original", async () => {
  const box = await bench();
  const [sample] = samples["MACHINE_CHECK_MAP"] ?? [];
  for (const [file, text] of Object.entries(sample?.files ?? {})) await box.write(`.agents-work/2026-03-02_fix-login/${file}`, text);
  const path = ".agents-work/2026-03-02_fix-login/tasks.yaml";
  const before = await box.read(path);
  const alone = await box.run(["doctor", "--repair"]);
  expect(alone).toMatchObject({ code: 2 });
  expect(alone.stderr).toContain("CLI_NO_TERMINAL");
  const no = await box.run(["doctor", "--repair"], { terminal: true, typed: ["n"] });
  expect(no.stdout).toContain("-      - cmd: npm test");
  expect(await box.read(path)).toBe(before);
  const yes = await box.run(["doctor", "--repair", "--session", "2026-03-02_fix-login"], { terminal: true, typed: ["y"] });
  expect(yes.stdout).toContain("the original is");
  expect(await box.read(`${path}.before-repair`)).toBe(before);
  expect(await box.read(path)).toContain('"cmd: npm test"');
  expect((await box.run(["doctor"])).stdout).toContain("conforms");
}, 60_000);

test("a session that does not exist is named", async () => {
  const box = await bench();
  const result = await box.run(["doctor", "--session", "2020-01-01_no-such"]);
  expect(result.code).toBe(2);
  expect(result.stderr).toContain("There is no session");
}, 60_000);
