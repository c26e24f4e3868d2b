import { lutimesSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { makeAgentFolder } from "./make-agent-folder.ts";

test("what a killed process left a day ago is removed with the next folder, and nothing else", async () => {
  const within = mkdtempSync(join(tmpdir(), "waymark-agents-"));
  onTestFinished(() => rmSync(within, { recursive: true, force: true }));
  for (const name of ["waymark-agent-old", "waymark-agent-new", "other"]) {
    mkdirSync(join(within, name));
    writeFileSync(join(within, name, "mcp.json"), "{}");
  }
  symlinkSync(join(within, "other"), join(within, "waymark-agent-link"));
  const twoDaysAgo = new Date(Date.now() - 2 * 24 * 60 * 60 * 1000);
  lutimesSync(join(within, "waymark-agent-link"), twoDaysAgo, twoDaysAgo);
  for (const name of ["waymark-agent-old", "other"]) utimesSync(join(within, name), twoDaysAgo, twoDaysAgo);
  const made = await makeAgentFolder(within);
  expect(readdirSync(within).toSorted()).toEqual(["other", "waymark-agent-link", "waymark-agent-new", basename(made)].toSorted());
  expect(readdirSync(join(within, "other"))).toEqual(["mcp.json"]);
});
