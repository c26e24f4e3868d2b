/**
 * Options of every git that Waymark starts. A repository's own settings can name programs to run, and an agent that works in it can write them;
 * none of these is needed to look at files or to make a worktree. All are plain words for any shell.
 */
export const guardedGit: readonly string[] = [
  "core.fsmonitor=false",
  "core.hooksPath=/dev/null",
  "submodule.recurse=false",
  "safe.bareRepository=explicit",
].flatMap((setting) => ["-c", setting]);
