/** Graphs whose nodes are commands of the engine, driven by the built command: what Ctrl-C and a failure lead to. */
import { execFileSync } from "node:child_process";
import { open, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { endOf, openDrivenPackage, type DrivenPackage } from "../support/driven-package.ts";

let built: DrivenPackage;
afterEach(() => built.close());

/** Each node notes that it began; `charge` sends Ctrl-C itself when both have begun, and they end when they read a line. */
const charging = `name: charging
description: Commands.
nodes:
  - { id: charge, bash: 'echo charge >> charges; read begun < begun.fifo; mkdir once && kill -INT $PPID; read line < charge.fifo; echo $line' }
  - { id: notify, on_lost: ask, bash: 'echo notify >> charges; echo yes > begun.fifo; read line < notify.fifo; echo $line' }
  - { id: after, depends_on: [charge, notify], bash: 'echo after >> charges' }
`;

const charges = async (): Promise<readonly string[]> =>
  (await readFile(join(built.workspace, "charges"), "utf8")).trim().split("\n").toSorted();

/** Writes a line to each pipe for the command that reads it, now or later; closes them at the end. */
async function feeding(names: readonly string[], work: (feed: () => Promise<void>) => Promise<void>): Promise<void> {
  const paths = names.map((name) => join(built.workspace, name));
  execFileSync("mkfifo", [...paths, join(built.workspace, "begun.fifo")]);
  const pipes = await Promise.all(paths.map((path) => open(path, "r+")));
  try {
    await work(async () => {
      for (const pipe of pipes) await pipe.write("go\n");
    });
  } finally {
    for (const pipe of pipes) await pipe.close();
  }
}

describe.skipIf(process.platform === "win32")("Ctrl-C while commands of the engine run", () => {
  test("once lets them come to their end and begins nothing more; they are not done twice", async () => {
    built = await openDrivenPackage({ ".archon/workflows/charging.yaml": charging }, { agents: {}, allow: ["charging"] });
    await feeding(["charge.fifo", "notify.fifo"], async (feed) => {
      const child = built.start(["run", "charging"]);
      await child.says(/Waymark stops after the open turn or command\. Press Ctrl-C again to cancel it\./);
      await feed();
      const end = await endOf(child);
      expect(end.stdout).toContain(`Run ${end.run} is parked: It was interrupted.`);
      expect(end.stdout).not.toContain("cut off");
      expect(end.code).toBe(4);
      expect(await charges()).toEqual(["charge", "notify"]);
      expect(await built.waymark(["drive", end.run])).toMatchObject({ code: 0 });
      expect(await charges()).toEqual(["after", "charge", "notify"]);
      const over = await built.waymark(["drive", end.run, "--agent", "nobody"]);
      expect(over.stdout).toContain(`Run ${end.run} is complete.`);
      expect(over.code).toBe(0);
    });
  }, 60_000);

  test("once lets them come to their end where nothing drives the run, too", async () => {
    built = await openDrivenPackage({ ".archon/workflows/charging.yaml": charging }, { agents: {}, allow: ["charging"] });
    await feeding(["charge.fifo", "notify.fifo"], async (feed) => {
      const child = built.start(["start", "charging"]);
      const { stderr } = child.process;
      const said = new Promise<void>((done) => {
        stderr.on("data", () => /stops after the open command\. Press Ctrl-C again/.test(child.stderr()) && done());
      });
      await Promise.race([said, child.ended]);
      await feed();
      const { run } = await endOf(child);
      expect(await built.waymark(["drive", run])).toMatchObject({ code: 0 });
      expect(await charges()).toEqual(["after", "charge", "notify"]);
    });
  }, 60_000);

  test("twice ends them, and what becomes of each is said and done", async () => {
    built = await openDrivenPackage({ ".archon/workflows/charging.yaml": charging }, { agents: {}, allow: ["charging"] });
    await feeding(["charge.fifo", "notify.fifo"], async (feed) => {
      const child = built.start(["run", "charging"]);
      await child.says(/Press Ctrl-C again/);
      child.process.kill("SIGINT");
      const end = await endOf(child);
      expect(end.stdout).toContain("`charge` was cut off: it is repeated when the run is driven again.");
      expect(end.stdout).toContain("`notify` was cut off: you are asked whether it is repeated when the run is driven again.");
      expect(end.code).toBe(4);
      await feed();
      const begun = await open(join(built.workspace, "begun.fifo"), "r+");
      const again = built.start(["drive", end.run]);
      await begun.write("yes\n");
      const asked = await endOf(again);
      await begun.close();
      expect(asked.code).toBe(3);
      expect(await charges()).toEqual(["charge", "charge", "notify"]);
    });
  }, 60_000);
});
