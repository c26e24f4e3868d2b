import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { createLog, logLevels, type LogLevel } from "./log.ts";

function logged(level: LogLevel, env: Record<string, string> = {}): { lines: string[]; log: ReturnType<typeof createLog> } {
  const lines: string[] = [];
  return { lines, log: createLog({ level, env, write: (line) => lines.push(line) }) };
}

test("messages below the level are not written", () => {
  for (const [index, level] of logLevels.entries()) {
    const { lines, log } = logged(level);
    for (const other of logLevels) log(other, "hello");
    expect(lines.length).toBe(index + 1);
  }
});

test("a line has time, level, text and facts", () => {
  const { lines, log } = logged("info");
  log("info", "A run began.", { run: "wf-1", steps: 3 });
  expect(lines[0]).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z INFO A run began\. \{"run":"wf-1","steps":3\}\n$/);
});

test("secrets are cut out of facts, by key, at any depth", () => {
  const { lines, log } = logged("debug");
  log("debug", "Facts.", {
    token: "abc123",
    headers: { Authorization: "Bearer xyz", accept: "json" },
    list: [{ api_key: "k1", userPassword: "k2" }],
    tokens: 120,
    secret: { deep: "k3" },
  });
  for (const secret of ["abc123", "xyz", "k1", "k2", "k3"]) expect(lines[0]).not.toContain(secret);
  expect(lines[0]).toContain('"accept":"json"');
  expect(lines[0]).toContain('"tokens":120');
});

test("of an environment only the names are printed, and values of secret variables nowhere", () => {
  const { lines, log } = logged("debug", { WAYMARK_TOKEN: "very-secret-value", HOME: "/home/somebody" });
  log("debug", "Called with very-secret-value.", { env: { PATH: "/private/bin", X: "y" }, note: "very-secret-value" });
  expect(lines[0]).not.toContain("very-secret-value");
  expect(lines[0]).not.toContain("/private/bin");
  expect(lines[0]).toContain('"env":["PATH","X"]');
});

test("any message is exactly one line, whatever it contains", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.anything(), (message, fact) => {
      const { lines, log } = logged("debug");
      log("debug", message, { fact });
      expect(lines.length).toBe(1);
      expect(lines[0]!.slice(0, -1)).not.toMatch(/[\n\r\u2028\u2029]/);
      expect(lines[0]!.endsWith("\n")).toBe(true);
    }),
  );
});

test("facts that refer to themselves and errors can be logged", () => {
  const { lines, log } = logged("debug");
  const circle: Record<string, unknown> = { name: "x" };
  circle["self"] = circle;
  log("debug", "Odd.", { circle, error: Object.assign(new Error("no"), { code: "E1" }), big: 10n });
  expect(lines[0]).toContain('"code":"E1"');
  expect(lines[0]).toContain('"message":"no"');
});

test("a log file is private and appended to; one that cannot be written is replaced by stderr", () => {
  const folder = mkdtempSync(join(tmpdir(), "waymark-log-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "deep", "waymark.log");
  createLog({ level: "info", file })("info", "one");
  createLog({ level: "info", file })("info", "two");
  expect(readFileSync(file, "utf8").split("\n").length).toBe(3);
  expect(process.platform === "win32" ? 0o600 : statSync(file).mode & 0o777).toBe(0o600);

  writeFileSync(join(folder, "plain"), "");
  const lines: string[] = [];
  const log = createLog({ level: "info", file: join(folder, "plain", "x.log"), write: (line) => lines.push(line) });
  log("info", "three");
  log("info", "four");
  expect(lines.map((line) => /cannot be written|three|four/.exec(line)?.[0])).toEqual(["cannot be written", "three", "four"]);
});
