import { cp, mkdtemp, readFile, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JsonObject } from "../../base/index.ts";
import { failure } from "../codes.ts";
import { differences } from "./match-value.ts";

/** A folder that one test works on, removed after it. */
export interface TestFolder {
  readonly path: string;
  /** What is not as expected in its files. */
  check(files: JsonObject): Promise<string[]>;
  remove(): Promise<void>;
}

/** Empty, or a copy of another folder; throws `CLI_FILE` when that cannot be copied. */
export async function openTestFolder(from: string | undefined): Promise<TestFolder> {
  const path = await realpath(await mkdtemp(join(tmpdir(), "waymark-test-")));
  const remove = (): Promise<void> => rm(path, { recursive: true, force: true });
  if (from !== undefined)
    await cp(from, path, { recursive: true }).catch(async (error: unknown) => {
      await remove();
      throw failure("CLI_FILE", `\`${from}\` cannot be copied: ${(error as Error).message}.`);
    });
  return { path, remove, check: (files) => checkFiles(path, files) };
}

async function checkFiles(folder: string, files: JsonObject): Promise<string[]> {
  const found: string[] = [];
  for (const [path, expected] of Object.entries(files)) {
    const text = await readFile(join(folder, path), "utf8").catch(() => null);
    found.push(...differences(expected, text, `files.${path}`));
  }
  return found;
}
