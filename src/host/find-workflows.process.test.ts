import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { WorkflowFolders } from "./find-workflows.ts";

test.skipIf(process.platform === "win32")(
  "a named pipe among the workflows is a problem and stops nothing",
  async () => {
    const base = realpathSync(mkdtempSync(join(tmpdir(), "waymark-pipe-")));
    onTestFinished(() => rmSync(base, { recursive: true }));
    const folder = join(base, ".waymark", "workflows");
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "good.yaml"), "name: good\n");
    execFileSync("mkfifo", [join(folder, "pipe.yaml")]);
    const none = join(base, "none");
    const codes: unknown[] = [];
    const workflows = new WorkflowFolders({
      workspace: base,
      home: none,
      bundledFolder: none,
      extraFolders: [],
      places: () => Promise.resolve([{ endings: [".yaml"] }]),
      log: (_level, _message, facts) => void codes.push(facts?.["code"]),
    });
    expect((await workflows.find()).map(({ name }) => name)).toEqual(["good"]);
    expect(codes).toEqual(["HOST_FILE_UNREADABLE"]);
    await expect(workflows.read("pipe.yaml", join(folder, "good.yaml"), folder)).rejects.toMatchObject({ code: "HOST_FILE_UNREADABLE" });
  },
  10_000,
);
