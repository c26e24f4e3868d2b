/** The code of a git that fails, of what is done in worktrees of tasks. */
export const gitFailed = { failure: "MACHINE_GIT_FAILED" } as const;
