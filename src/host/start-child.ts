import { spawn } from "node:child_process";
import type { Child, Children } from "../ports/index.ts";
import { OutputTail } from "./capture-output.ts";
import type { GroupRecords } from "./group-records.ts";
import { ProcessGroup, groupOptions } from "./process-group.ts";

const errorBytes = 8 * 1024;

/**
 * Programs with open pipes, each in a process group of its own, which is recorded for who comes after a Waymark that was killed. Windows
 * starts only real programs this way, no scripts such as `npx`.
 */
export const createChildren = (groups: Pick<GroupRecords, "tryRecord">): Children => ({
  start: async ({ command, args, cwd, env }) => {
    const child = spawn(command, args, { ...groupOptions, cwd, env, stdio: ["pipe", "pipe", "pipe"] });
    const group = await ProcessGroup.of(child);
    // Without a gate: a program that is not recorded yet loses its stdin with this process.
    const forget = groups.tryRecord(group.pid);
    const errors = new OutputTail(child.stderr, errorBytes);
    // A pipe whose reader is gone: `write` rejects, nothing else follows.
    child.stdin.on("error", () => undefined);
    child.stdout.setEncoding("utf8");
    return {
      output: child.stdout as AsyncIterable<string>,
      exited: group.exited,
      write: (text) => new Promise((done, failed) => child.stdin.write(text, (problem) => (problem ? failed(problem) : done()))),
      endInput: () => child.stdin.end(),
      errors: () => errors.text(),
      end: async () => {
        if (await group.end()) forget();
        for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy();
      },
    } satisfies Child;
  },
});
