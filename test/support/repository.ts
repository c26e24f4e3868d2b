import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const who = { GIT_AUTHOR_NAME: "A", GIT_AUTHOR_EMAIL: "a@b", GIT_COMMITTER_NAME: "A", GIT_COMMITTER_EMAIL: "a@b" };

/** A folder under git, as a test works in it. */
export interface Repository {
  readonly git: (...args: readonly string[]) => string;
  /** Writes files; null removes one. */
  readonly put: (files: Readonly<Record<string, string | null>>) => void;
  /** Writes files and commits everything there is. */
  readonly commit: (files?: Readonly<Record<string, string | null>>) => void;
}

/** Works in a folder without making anything there. No settings of the user count. */
export function repositoryIn(folder: string): Repository {
  const env = { ...process.env, ...who, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" };
  const git = (...args: readonly string[]): string =>
    execFileSync("git", args, { cwd: folder, env, encoding: "utf8", stdio: "pipe" }).trim();
  const put: Repository["put"] = (files) => {
    for (const [path, text] of Object.entries(files)) {
      if (text === null) rmSync(join(folder, path));
      else {
        mkdirSync(dirname(join(folder, path)), { recursive: true });
        writeFileSync(join(folder, path), text);
      }
    }
  };
  return {
    git,
    put,
    commit: (files = {}) => {
      put(files);
      git("add", "-A");
      git("commit", "-qm", "x");
    },
  };
}

/** A new repository with a first commit on `main`. */
export function createRepository(folder: string, files: Readonly<Record<string, string>>): Repository {
  mkdirSync(folder, { recursive: true });
  const repository = repositoryIn(folder);
  repository.git("init", "-q", "-b", "main");
  repository.commit(files);
  return repository;
}
