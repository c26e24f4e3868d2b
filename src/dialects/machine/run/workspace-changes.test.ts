import { afterEach, expect, test } from "vitest";
import { openTestEngine, type TestEngine } from "../../../../test/support/test-engine.ts";
import type { CommandOutcome } from "../../../ports/index.ts";
import { baseOf, changedBetween, changesSince, contentsOf, hashOfChanges, inspectWorkspace } from "./workspace-changes.ts";

let engine: TestEngine;
afterEach(() => engine.close());

const passes: CommandOutcome = { exitCode: 0, signal: null, ended: "exit", stdout: { text: "", bytes: 0 }, stderr: "", ms: 1 };
/** What git would print, by the first word of the question; it fails at every other one. */
let says: Record<string, string> = {};

async function workspace(files: Readonly<Record<string, string>>, git: Record<string, string> = {}): Promise<void> {
  says = git;
  engine = await openTestEngine(files, {}, undefined, () => ({
    run: ({ command }) => {
      const texts = command.split(" && ").map((part) => {
        if (part.startsWith("echo ")) return `${part.slice(5)}\n`;
        const question = part.replace(/^git(?: -c \S+)* /, "");
        return Object.entries(says).find(([begin]) => question.startsWith(begin))?.[1];
      });
      const text = texts.includes(undefined) ? undefined : texts.join("");
      return Promise.resolve(text === undefined ? { ...passes, exitCode: 1 } : { ...passes, stdout: { text, bytes: text.length } });
    },
  }));
}
const untracked = "ls-files --others --exclude-standard";
const ignored = "ls-files --others --ignored";
const told = (changes: readonly { path: string; change_type: string; old_path?: string }[]): string[] =>
  changes.map(({ path, change_type: type, old_path: old }) => `${path} ${type}${old === undefined ? "" : ` from ${old}`}`);

test("without git every file is known by its content, and those of sessions and of Waymark are not looked at", async () => {
  await workspace({ "a.ts": "a", "b.ts": "b", "c.ts": "c", "sessions/s/x.md": "x", ".waymark/store/y": "y" });
  const base = await baseOf(engine.context, "sessions");
  expect(base.commit).toBeNull();
  expect(Object.keys(base.dirty).toSorted()).toEqual(["a.ts", "b.ts", "c.ts"]);
  expect(await changesSince(engine.context, base, "sessions")).toEqual([]);
  await engine.write("b.ts", "changed");
  await engine.write("new.ts", "n");
  await engine.write("sessions/s/x.md", "changed");
  const found = await changesSince(engine.context, { ...base, dirty: { ...base.dirty, "gone.ts": "h" } }, "sessions");
  expect(told(found)).toEqual(["b.ts modified", "gone.ts deleted", "new.ts added"]);
  expect(found.map(({ hash }) => hash === "")).toEqual([false, true, false]);
  expect(await inspectWorkspace(engine.context, base, "sessions")).toMatchObject({ ignored: [], branch: "none" });
});

test("with git a session begins with what is not committed, and changes are told against that", async () => {
  const git = { "rev-parse --verify": "abc\n", "diff --no-ext-diff": "M\0a.ts\0", [untracked]: "n.ts\0sessions/s/x.md\0" };
  await workspace({ "a.ts": "a", "n.ts": "n", "b.ts": "b", "sessions/s/x.md": "x" }, git);
  const base = await baseOf(engine.context, "sessions");
  expect(base.commit).toBe("abc");
  expect(Object.keys(base.dirty)).toEqual(["a.ts", "n.ts"]);
  expect(await changesSince(engine.context, base, "sessions")).toEqual([]);
  await engine.write("a.ts", "changed");
  says = { ...git, "diff --no-ext-diff": "M\0a.ts\0D\0gone.ts\0R100\0old.ts\0moved.ts\0C90\0a.ts\0copy.ts\0A\0fresh.ts\0" };
  expect(told(await changesSince(engine.context, base, "sessions"))).toEqual([
    "a.ts modified",
    "copy.ts added",
    "fresh.ts added",
    "gone.ts deleted",
    "moved.ts renamed from old.ts",
  ]);
});

test("what was changed before the session and is as it was committed now has changed as well", async () => {
  const git = { "diff --no-ext-diff": "", [untracked]: "" };
  await workspace({ "a.ts": "a", "same.ts": "s" }, git);
  const same = (await engine.context.workspace.read(engine.context.host.workspace, "same.ts"))?.hash ?? "";
  const base = { commit: "abc", dirty: { "a.ts": "before", "gone.ts": "before", "same.ts": same } };
  expect(told(await changesSince(engine.context, base, "sessions"))).toEqual(["a.ts modified", "gone.ts deleted"]);
});

test("one look tells what is ignored and the branch, and a git that fails is told", async () => {
  const git = { "diff --no-ext-diff": "", [untracked]: "", [ignored]: "out/\0x.log\0", "rev-parse --abbrev-ref": "main\n" };
  await workspace({}, git);
  const base = { commit: "abc", dirty: {} };
  expect(await inspectWorkspace(engine.context, base, "sessions")).toEqual({ changes: [], ignored: ["out/", "x.log"], branch: "main" });
  says = { ...git, "rev-parse --abbrev-ref": "" };
  expect((await inspectWorkspace(engine.context, base, "sessions")).branch).toBe("none");
  says = { [untracked]: "" };
  await expect(changesSince(engine.context, base, "sessions")).rejects.toMatchObject({ code: "MACHINE_GIT_FAILED" });
  says = { "diff --no-ext-diff": "" };
  await expect(changesSince(engine.context, base, "sessions")).rejects.toMatchObject({ code: "MACHINE_GIT_FAILED" });
});

test("moments differ in the paths whose contents differ, the old name of a renamed file among them", async () => {
  await workspace({});
  const changes = [
    { path: "b", change_type: "renamed" as const, old_path: "a", hash: "1" },
    { path: "toString", change_type: "added" as const, hash: "2" },
  ];
  expect(contentsOf(changes)).toEqual({ b: "1", a: "", toString: "2" });
  expect(changedBetween({ x: "1", y: "1", b: "1" }, contentsOf(changes))).toEqual(["a", "toString", "x", "y"]);
  const [first, second] = changes as [(typeof changes)[0], (typeof changes)[0]];
  const hash = (...of: typeof changes): string => hashOfChanges(engine.context, of);
  expect(hash(first)).toBe(hash({ ...first, change_type: "added" } as typeof first));
  expect(new Set([hash(first), hash(second), hash({ ...first, old_path: "z" } as typeof first), hash({ ...first, hash: "9" })]).size).toBe(
    4,
  );
});
