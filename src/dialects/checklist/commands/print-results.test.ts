import { Writable } from "node:stream";
import { expect, test } from "vitest";
import { Output } from "../../../cli/output.ts";
import type { ReportedFinding } from "../../../findings/index.ts";
import { printResults } from "./print-results.ts";

const finding: ReportedFinding = {
  file: "src/deep/folder/file.ts",
  line: 120,
  column: 14,
  severity: "error",
  rule: "sql-concatenation",
  message: "Use a parameterised query. Names of tables and columns come from a fixed list.",
  autoFixable: false,
  fingerprint: "i0123456789ab",
};
const about = { workflow: "w", version: "1", root: "/w", rules: [], summary: () => ({}) };

async function printed(terminal: { readonly isTTY?: boolean; readonly columns?: number }): Promise<string> {
  let text = "";
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      text += chunk.toString();
      done();
    },
  });
  const out = new Output(
    { stdout: Object.assign(stream, terminal), stderr: stream, env: { NO_COLOR: "1" } },
    { json: false, quiet: false },
  );
  const findings = (async function* () {
    yield finding;
    yield { ...finding, file: "b.ts" };
  })();
  await printResults(out, findings, "text", about);
  return text;
}

test("rows are as long as they are, unless a terminal shows them", async () => {
  const row = `src/deep/folder/file.ts:120:14  error  sql-concatenation  ${finding.message}\n`;
  expect(await printed({})).toBe(`${row}\n${row.replace("src/deep/folder/file.ts", "b.ts")}`);
  const [wide = ""] = (await printed({ isTTY: true, columns: 100 })).split("\n");
  expect(wide).toMatch(/^src\/deep\/folder\/file\.ts:120:14 {2}error {2}sql-concatenation {2}Use a parameterised .*\.\.\.$/);
  expect(wide.length).toBe(99);
});

test("on a narrow terminal a message has a line of its own", async () => {
  const [place, message] = (await printed({ isTTY: true, columns: 60 })).split("\n");
  expect(place).toBe("src/deep/folder/file.ts:120:14  error  sql-concatenation");
  expect(message).toBe("  Use a parameterised query. Names of tables and columns...");
});
