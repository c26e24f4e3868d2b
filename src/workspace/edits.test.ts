import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { ByteEdit, FileEdit } from "../ports/index.ts";
import { createWorkspace } from "./create-workspace.ts";
import { hashOf } from "./read-regular.ts";
import type { WritePoint } from "./replace-file.ts";

let base = "";
let root = "";
const workspace = createWorkspace({ workers: 0 });

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), "waymark-edits-"));
  root = join(base, "root");
  mkdirSync(root);
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

function put(path: string, bytes: string | Uint8Array): string {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), bytes);
  return hashOf(Buffer.from(bytes as Uint8Array));
}
const bytesOf = (path: string): Buffer => readFileSync(join(root, path));
const textOf = (path: string): string => bytesOf(path).toString();
const strays = (folder = ""): string[] => readdirSync(join(root, folder)).filter((name) => name.endsWith(".tmp"));

async function plan(path: string, ...edits: readonly ByteEdit[]): Promise<FileEdit> {
  const planned = await workspace.planEdit(root, path, hashOf(bytesOf(path)), edits);
  if (planned === undefined) throw new Error("not planned");
  return planned;
}
const insert = (start: number, text: string): ByteEdit => ({ start, end: start, text });

describe("planning", () => {
  test("binds edits to the content before and after, in the order of their places", async () => {
    const hash = put("a.al", "Error('x')");
    const planned = await workspace.planEdit(root, "a.al", hash, [insert(9, ")"), { start: 6, end: 9, text: "New('y'" }]);
    expect(planned).toEqual({
      path: "a.al",
      before: hash,
      after: hashOf(Buffer.from("Error(New('y'))")),
      edits: [{ start: 6, end: 9, text: "New('y'" }, insert(9, ")")],
      removed: [Buffer.from("'x'").toString("base64"), ""],
    });
    expect(textOf("a.al")).toBe("Error('x')");
  });

  test.each([
    ["UTF-8", Buffer.from("a\u00e9😀'x'")],
    ["UTF-8 with a mark", Buffer.from("\ufeffa\u00e9😀'x'")],
    ["UTF-16", Buffer.from("\ufeffa\u00e9😀'x'", "utf16le")],
    ["big-endian UTF-16", Buffer.from("\ufeffa\u00e9😀'x'", "utf16le").swap16()],
    ["Windows-1252", Buffer.from("a\u00e9--'x'", "latin1")],
  ])("places in the text become places in the file: %s", async (_name, bytes) => {
    const hash = put("a.al", bytes);
    const text = (await workspace.readText(root, "a.al"))?.text ?? "";
    const at = text.indexOf("'x'");
    const planned = await workspace.planTextEdit(root, "a.al", hash, [{ start: at, end: at + 3, text: "'\u00fc'" }]);
    expect(await workspace.applyEdits(root, planned === undefined ? [] : [planned])).toEqual([{ path: "a.al", status: "done" }]);
    expect((await workspace.readText(root, "a.al"))?.text).toBe(text.replace("'x'", "'\u00fc'"));
    for (const start of [-1, 0.5, 99]) {
      const again = workspace.planTextEdit(root, "a.al", hashOf(bytesOf("a.al")), [{ start, end: 99, text: "" }]);
      await expect(again).rejects.toMatchObject({ code: "SCAN_BAD_EDIT" });
    }
  });

  test("plans nothing against another content, an absent file or one outside", async () => {
    const hash = put("a.al", "x");
    writeFileSync(join(base, "b.al"), "x");
    expect(await workspace.planEdit(root, "a.al", "0".repeat(64), [])).toBeUndefined();
    expect(await workspace.planEdit(root, "gone.al", hash, [])).toBeUndefined();
    expect(await workspace.planEdit(root, "../b.al", hash, [])).toBeUndefined();
  });

  test("refuses edits that overlap, lie outside or cannot be written", async () => {
    const hash = put("a.al", "abc\xe9");
    const legacy = put("b.al", Buffer.from("caf\xe9", "latin1"));
    const binary = put("c.al", Buffer.from([0, 1, 2, 0, 0, 3]));
    const planned = (path: string, of: string, ...edits: ByteEdit[]) => workspace.planEdit(root, path, of, edits);
    await expect(planned("a.al", hash, { start: 0, end: 2, text: "" }, insert(1, "x"))).rejects.toMatchObject({ code: "SCAN_BAD_EDIT" });
    await expect(planned("a.al", hash, { start: 0, end: 9, text: "" })).rejects.toMatchObject({ code: "SCAN_BAD_EDIT" });
    await expect(planned("b.al", legacy, insert(0, "\u4e00"))).rejects.toMatchObject({ code: "SCAN_UNENCODABLE" });
    await expect(planned("c.al", binary, insert(0, "x"))).rejects.toMatchObject({ code: "WORKSPACE_NOT_TEXT" });
  });
});

describe("applying and undoing", () => {
  test("writes the content after, keeps the mode, and takes it back", async () => {
    put("src/a.al", "one\r\ntwo\n");
    chmodSync(join(root, "src/a.al"), 0o640);
    const planned = await plan("src/a.al", { start: 0, end: 3, text: "ONE" }, insert(9, "!"));
    expect(await workspace.applyEdits(root, [planned])).toEqual([{ path: "src/a.al", status: "done" }]);
    expect(textOf("src/a.al")).toBe("ONE\r\ntwo\n!");
    expect(statSync(join(root, "src/a.al")).mode & 0o777).toBe(0o640);
    expect(await workspace.undoEdits(root, [planned])).toEqual([{ path: "src/a.al", status: "done" }]);
    expect(textOf("src/a.al")).toBe("one\r\ntwo\n");
    expect(strays("src")).toEqual([]);
  });

  test("a second time changes nothing and counts as done", async () => {
    put("a.al", "x");
    const planned = await plan("a.al", insert(0, "y"));
    await workspace.applyEdits(root, [planned]);
    const { ino } = statSync(join(root, "a.al"));
    expect(await workspace.applyEdits(root, [planned])).toEqual([{ path: "a.al", status: "done" }]);
    expect(statSync(join(root, "a.al")).ino).toBe(ino);
    await workspace.undoEdits(root, [planned]);
    expect(await workspace.undoEdits(root, [planned])).toEqual([{ path: "a.al", status: "done" }]);
    expect(textOf("a.al")).toBe("x");
  });

  test("each file that cannot be written is left as it was, alone, with its reason", async () => {
    const names = ["changed.al", "gone.al", "locked.al", "fine.al", "folder.al"];
    for (const name of names) put(name, "x");
    const plans = await Promise.all(names.map((name) => plan(name, insert(0, "y"))));
    put("changed.al", "z");
    rmSync(join(root, "gone.al"));
    chmodSync(join(root, "locked.al"), 0o444);
    rmSync(join(root, "folder.al"));
    mkdirSync(join(root, "folder.al"));
    const outcomes = await workspace.applyEdits(root, [...plans, { ...(plans[3] as FileEdit), path: "../out.al" }]);
    expect(outcomes.map((outcome) => `${outcome.path} ${outcome.status === "done" ? "done" : outcome.code}`)).toEqual([
      "changed.al changed",
      "gone.al vanished",
      "locked.al read_only",
      "fine.al done",
      "folder.al changed",
      "../out.al failed",
    ]);
    expect([textOf("changed.al"), textOf("locked.al"), textOf("fine.al")]).toEqual(["z", "x", "yx"]);
    expect(strays()).toEqual([]);
  });

  test("undo leaves a file alone that changed since", async () => {
    put("a.al", "x");
    const planned = await plan("a.al", insert(0, "y"));
    await workspace.applyEdits(root, [planned]);
    put("a.al", "mine");
    expect(await workspace.undoEdits(root, [planned])).toMatchObject([{ status: "failed", code: "changed" }]);
    expect(textOf("a.al")).toBe("mine");
  });

  test("a link inside the root is written through, one that leads outside is refused", async () => {
    put("real.al", "x");
    writeFileSync(join(base, "out.al"), "x");
    symlinkSync("real.al", join(root, "link.al"));
    symlinkSync("../out.al", join(root, "away.al"));
    symlinkSync(base, join(root, "up"));
    const planned = await plan("link.al", insert(0, "y"));
    const outcomes = await workspace.applyEdits(root, [planned, { ...planned, path: "away.al" }, { ...planned, path: "up/out.al" }]);
    expect(outcomes.map(({ status }) => status)).toEqual(["done", "failed", "failed"]);
    expect(readlinkSync(join(root, "link.al"))).toBe("real.al");
    expect(textOf("real.al")).toBe("yx");
    expect(readFileSync(join(base, "out.al"), "utf8")).toBe("x");
  });

  test("a plan that does not lead to its own content is refused", async () => {
    put("a.al", "x");
    const planned = await plan("a.al", insert(0, "y"));
    const forged = { ...planned, edits: [insert(0, "z")] };
    expect(await workspace.applyEdits(root, [forged])).toMatchObject([{ status: "failed", code: "failed" }]);
    expect(textOf("a.al")).toBe("x");
  });

  test("two plans for one file are written one after the other", async () => {
    put("a.al", "x");
    const first = await plan("a.al", insert(0, "1"));
    put("a.al", "1x");
    const second = await plan("a.al", insert(0, "2"));
    put("a.al", "x");
    const outcomes = await Promise.all([workspace.applyEdits(root, [first, second]), workspace.applyEdits(root, [first])]);
    expect(textOf("a.al")).toBe("21x");
    expect(outcomes[0].map(({ status }) => status)).toEqual(["done", "done"]);
  });

  test("after a stop the files not begun are left and say so", async () => {
    put("a.al", "x");
    const planned = await plan("a.al", insert(0, "y"));
    expect(await workspace.applyEdits(root, [planned], AbortSignal.abort())).toMatchObject([{ status: "failed", code: "failed" }]);
    expect(textOf("a.al")).toBe("x");
  });

  test("a root that is gone is an error of its own", async () => {
    await expect(workspace.applyEdits(join(base, "gone"), [])).rejects.toMatchObject({ code: "WORKSPACE_MISSING" });
  });

  test.skipIf(process.getuid?.() !== 0)("the owner stays the owner", async () => {
    put("a.al", "x");
    chownSync(join(root, "a.al"), 1234, 4321);
    chmodSync(join(root, "a.al"), 0o4755);
    await workspace.applyEdits(root, [await plan("a.al", insert(0, "y"))]);
    const { uid, gid, mode } = statSync(join(root, "a.al"));
    expect([uid, gid, mode & 0o7777]).toEqual([1234, 4321, 0o4755]);
  });
});

describe("at the borders of a write", () => {
  const points: WritePoint[] = ["read", "temporary_created", "temporary_written", "temporary_synced"];

  test.each(points)("a failure at %s leaves the old content and nothing beside it", async (point) => {
    put("a.al", "x");
    const planned = await plan("a.al", insert(0, "y"));
    const failing = createWorkspace({
      workers: 0,
      faults: (at) => {
        if (at === point) throw Object.assign(new Error("no space"), { code: "ENOSPC" });
      },
    });
    expect(await failing.applyEdits(root, [planned])).toMatchObject([
      { status: "failed", code: "failed", reason: expect.stringContaining("ENOSPC") },
    ]);
    expect(textOf("a.al")).toBe("x");
    expect(readdirSync(root)).toEqual(["a.al"]);
  });

  test.each(points)("a change by somebody else at %s wins", async (point) => {
    put("a.al", "x");
    const planned = await plan("a.al", insert(0, "y"));
    const racing = createWorkspace({ workers: 0, faults: (at, place) => at === point && writeFileSync(place, "theirs") });
    expect(await racing.applyEdits(root, [planned])).toMatchObject([{ status: "failed", code: "changed" }]);
    expect(textOf("a.al")).toBe("theirs");
  });

  test("what an earlier process left is removed, what another one writes stays", async () => {
    put("a.al", "x");
    const planned = await plan("a.al", insert(0, "y"));
    let own = "";
    const looking = createWorkspace({ workers: 0, faults: (at) => at === "temporary_created" && (own = strays()[0] ?? "") });
    await looking.applyEdits(root, [planned]);
    const [, computer = ""] = /^\.waymark-(\w+)-/.exec(own) ?? [];
    const dead = `.waymark-${computer}-2147483646-0123456789ab.tmp`;
    const alive = `.waymark-${computer}-1-0123456789ab.tmp`;
    const foreign = ".waymark-ffffffff-17-0123456789ab.tmp";
    for (const name of [dead, alive, foreign, "mine.tmp"]) put(name, "");
    await workspace.undoEdits(root, [planned]);
    expect(strays().sort()).toEqual([alive, foreign, "mine.tmp"].sort());
  });
});

describe("whole files", () => {
  test("are made where nothing is, folders too, and replaced where the content is the expected one", async () => {
    expect(await workspace.writeFile(root, "new/deep/a.md", Buffer.from("1"), null)).toEqual({ path: "new/deep/a.md", status: "done" });
    expect(await workspace.writeFile(root, "new/deep/a.md", Buffer.from("2"), hashOf(Buffer.from("1")))).toMatchObject({ status: "done" });
    expect(textOf("new/deep/a.md")).toBe("2");
    expect(await workspace.writeFile(root, "new/deep/a.md", Buffer.from("3"), null)).toMatchObject({ code: "changed" });
    expect(await workspace.writeFile(root, "new/deep/a.md", Buffer.from("3"), hashOf(Buffer.from("1")))).toMatchObject({ code: "changed" });
    expect(await workspace.writeFile(root, "gone.md", Buffer.from("3"), hashOf(Buffer.from("1")))).toMatchObject({ code: "vanished" });
    expect(await workspace.writeFile(root, "new/deep/a.md", Buffer.from("2"), null)).toMatchObject({ status: "done" });
    expect(readdirSync(join(root, "new/deep"))).toEqual(["a.md"]);
  });

  test.each(["../a.md", "up/a.md", "up/new/a.md", ".git/hooks/a", "node_modules/a.js", ""])("never leave the root: `%s`", async (path) => {
    symlinkSync(base, join(root, "up"));
    expect(await workspace.writeFile(root, path, Buffer.from("1"), null)).toMatchObject({ status: "failed", code: "failed" });
    expect(existsSync(join(base, "a.md")) || existsSync(join(base, "new"))).toBe(false);
  });

  test("in a large batch, what somebody saves or removes meanwhile stays as they left it, and the others are written", async () => {
    const names = Array.from({ length: 100 }, (_, at) => `f${String(at).padStart(3, "0")}.al`);
    for (const name of names) put(name, `old ${name}`);
    const plans = await Promise.all(names.map((name) => plan(name, insert(0, "new "))));
    const racing = createWorkspace({
      workers: 0,
      faults: (at, place) => {
        if (at !== "temporary_synced") return;
        if (place.endsWith("0.al")) writeFileSync(place, "theirs");
        if (place.endsWith("5.al")) rmSync(place);
      },
    });
    const outcomes = await racing.applyEdits(root, plans);
    const codes = (ending: string): unknown[] =>
      outcomes.filter(({ path }) => path.endsWith(ending)).map((one) => "code" in one && one.code);
    expect(codes("0.al")).toEqual(Array.from({ length: 10 }, () => "changed"));
    expect(codes("5.al")).toEqual(Array.from({ length: 10 }, () => "vanished"));
    const kept = Object.fromEntries(readdirSync(root).map((name) => [name, textOf(name)]));
    const wanted = names
      .filter((name) => !name.endsWith("5.al"))
      .map((name) => [name, name.endsWith("0.al") ? "theirs" : `new old ${name}`]);
    expect(kept).toEqual(Object.fromEntries(wanted));
  });

  test("a file that appears meanwhile is not replaced", async () => {
    const racing = createWorkspace({ workers: 0, faults: (at, place) => at === "temporary_synced" && writeFileSync(place, "theirs") });
    expect(await racing.writeFile(root, "a.md", Buffer.from("1"), null)).toMatchObject({ code: "changed" });
    expect(textOf("a.md")).toBe("theirs");
    expect(strays()).toEqual([]);
  });
});

describe("reading", () => {
  test("gives bytes and text with their hash, and nothing for what is no file inside", async () => {
    const hash = put("a.al", Buffer.from("\ufeffcaf\u00e9", "utf16le"));
    expect(await workspace.read(root, "a.al")).toMatchObject({ hash });
    expect(await workspace.readText(root, "a.al")).toEqual({ text: "caf\u00e9", hash, encoding: "utf-16le" });
    put("b.bin", Buffer.from([0, 0, 1, 2, 3, 0]));
    linkSync(join(root, "a.al"), join(root, "c.al"));
    expect(await workspace.readText(root, "b.bin")).toBeUndefined();
    expect(await workspace.read(root, "gone")).toBeUndefined();
    expect(await workspace.read(root, "..")).toBeUndefined();
    expect(await workspace.read(root, "c.al")).toMatchObject({ hash });
  });
});

test("whatever the bytes and the edits: refused and untouched, or done and undone to the last byte", async () => {
  const text = fc.string({ unit: fc.constantFrom("a", "'", "\n", "\r", "\u00e9", "\u20ac", "\u4e00", "😀"), maxLength: 6 });
  const words = fc.string({ unit: fc.constantFrom("a", "(", "\r\n", "\u00e9", "\u20ac", "😀", "\u00c3\u00a9"), maxLength: 40 });
  const bytes = fc.oneof(
    words.map((word) => Buffer.from(word)),
    words.map((word) => Buffer.from(`\ufeff${word}`)),
    words.map((word) => Buffer.from(`\ufeff${word}`, "utf16le")),
    words.map((word) => Buffer.from(`\ufeff${word}`, "utf16le").swap16()),
    words.map((word) => Buffer.from(word, "latin1")),
    fc.uint8Array({ maxLength: 60 }).map((all) => Buffer.from(all)),
  );
  const spans = fc.array(fc.tuple(fc.nat({ max: 40 }), fc.nat({ max: 4 }), text), { maxLength: 4 });
  let done = 0;
  await fc.assert(
    fc.asyncProperty(bytes, spans, async (before, edits) => {
      const hash = put("a.al", before);
      const given = edits.map(([start, length, word]) => ({ start: start * 2, end: start * 2 + length * 2, text: word }));
      const planned = await workspace.planEdit(root, "a.al", hash, given).catch(() => undefined);
      expect(bytesOf("a.al").equals(before)).toBe(true);
      if (planned === undefined) return;
      done += 1;
      expect(await workspace.applyEdits(root, [planned])).toEqual([{ path: "a.al", status: "done" }]);
      expect(hashOf(bytesOf("a.al"))).toBe(planned.after);
      const grown = planned.edits.reduce((sum, { start, end }) => sum - (end - start), before.length);
      expect(bytesOf("a.al").length).toBeGreaterThanOrEqual(grown);
      expect(await workspace.undoEdits(root, [planned])).toEqual([{ path: "a.al", status: "done" }]);
      expect(bytesOf("a.al").equals(before)).toBe(true);
    }),
    { numRuns: 400 },
  );
  expect(done).toBeGreaterThan(50);
});
