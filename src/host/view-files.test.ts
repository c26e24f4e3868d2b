import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { createViewFiles, isPortableName } from "./view-files.ts";

function store(): string {
  const folder = mkdtempSync(join(tmpdir(), "waymark-views-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

test("writes below views and answers the absolute path", async () => {
  const folder = store();
  const path = await createViewFiles(folder).write("wf-fix-2026-01-01-abc123/session.json", "{}");
  expect(path.endsWith("/views/wf-fix-2026-01-01-abc123/session.json")).toBe(true);
  expect(readFileSync(path, "utf8")).toBe("{}");
});

test("refuses names that escape or that some system cannot have", async () => {
  const folder = store();
  const views = createViewFiles(folder);
  for (const name of [
    "",
    "..",
    "../x",
    "a/../../x",
    "/etc/x",
    "a//b",
    "C:/x",
    "standards:fix",
    "a\\b",
    "a\0b",
    "nul",
    "CON.txt",
    "a.",
    "a ",
    "x\ny",
  ]) {
    await expect(views.write(name, "")).rejects.toMatchObject({ code: "HOST_VIEW_NAME" });
  }
  expect(readdirSync(folder)).toEqual([]);
});

test("does not follow a link that was put below the folder", async () => {
  const folder = store();
  const elsewhere = store();
  mkdirSync(join(folder, "views"));
  symlinkSync(elsewhere, join(folder, "views", "run"));
  await expect(createViewFiles(folder).write("run/x.json", "{}")).rejects.toMatchObject({ code: "HOST_PATH_OUTSIDE" });
  expect(existsSync(join(elsewhere, "x.json"))).toBe(false);
});

test("an accepted name has no part that climbs and no colon", () => {
  const part = fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom("a", "run", "x.json", ".hidden", "a b") },
    fc.string({ unit: fc.constantFrom("a", ".", "\\", ":", " ", "n", "u", "l"), maxLength: 3 }),
  );
  const counted = { accepted: 0, refused: 0 };
  fc.assert(
    fc.property(fc.array(part, { minLength: 1, maxLength: 3 }), (parts) => {
      const name = parts.join("/");
      const accepted = isPortableName(name);
      counted[accepted ? "accepted" : "refused"] += 1;
      expect(accepted && /[:\\]|(^|\/)\.{0,2}(\/|$)/.test(name), name).toBe(false);
    }),
    { numRuns: 500 },
  );
  expect(Math.min(counted.accepted, counted.refused)).toBeGreaterThan(50);
});
