import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { PrivateLines } from "./private-lines.ts";

test("the file is parsed again only when it has changed, whichever process changed it", async () => {
  const base = mkdtempSync(join(tmpdir(), "waymark-lines-"));
  onTestFinished(() => rmSync(base, { recursive: true }));
  let parsed = 0;
  const lines = (): PrivateLines<number> =>
    new PrivateLines({ workspace: join(base, "work"), dataFolder: join(base, "data"), log: () => undefined }, "x.jsonl", (held) => {
      parsed += 1;
      return Number(held);
    });
  const [one, other] = [lines(), lines()];
  expect(await one.read()).toEqual([]);
  await other.append(1);
  expect([await one.read(), await one.read(), parsed]).toEqual([[1], [1], 1]);
  await other.append(2);
  expect([await one.read(), await one.read(), parsed]).toEqual([[1, 2], [1, 2], 3]);
});
