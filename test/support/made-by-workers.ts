import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";

/** A folder for what the workers of a project make for each other (`shareMade`), of this run of its tests alone. */
export function setup(project: TestProject): () => void {
  const folder = mkdtempSync(join(tmpdir(), "waymark-made-"));
  project.config.env = { ...project.config.env, WAYMARK_TEST_MADE: folder };
  project.onTestsRerun(() => {
    for (const name of readdirSync(folder)) rmSync(join(folder, name));
  });
  return () => rmSync(folder, { recursive: true, force: true });
}
