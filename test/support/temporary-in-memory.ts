import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestProject } from "vitest/node";

const memory = "/dev/shm";
/** The temporary files of one project at one time fit several times into this. */
const roomNeeded = 2 * 1024 ** 3;

/**
 * Temporary files of a project's tests are kept in memory where the computer has such a folder: stores and repositories write to the disk
 * before they answer, and waiting for a disk is most of the time of a scenario. Elsewhere they are where they always are.
 */
export function setup({ config }: TestProject): (() => void) | undefined {
  const folder = openFolder();
  if (folder === undefined) return undefined;
  config.env = { ...config.env, TMPDIR: folder };
  return () => rmSync(folder, { recursive: true, force: true });
}

function openFolder(): string | undefined {
  try {
    const { bavail, bsize } = statfsSync(memory);
    if (bavail * bsize < roomNeeded) return undefined;
    const folder = mkdtempSync(join(memory, "waymark-tests-"));
    // As everywhere for temporary files: some tests do things as another user.
    chmodSync(folder, 0o1777);
    if (runsPrograms(folder)) return folder;
    rmSync(folder, { recursive: true, force: true });
  } catch {
    // There is no such folder, or it is somebody else's.
  }
  return undefined;
}

/** Containers often forbid it, and tests put programs into their folders. */
function runsPrograms(folder: string): boolean {
  const program = join(folder, "program");
  writeFileSync(program, "#!/bin/sh\nexit 0\n", { mode: 0o755 });
  return spawnSync(program).status === 0;
}
