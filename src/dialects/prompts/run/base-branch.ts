import type { EngineContext } from "../../../engine/index.ts";

const timeoutMs = 10_000;
const mostOutput = 4096;

/** The branch that work is based on: the default branch of the remote, else `main` or `master`; undefined where git knows none. */
export async function baseBranch({ host }: EngineContext): Promise<string | undefined> {
  const command =
    "git -c core.fsmonitor= symbolic-ref --quiet --short refs/remotes/origin/HEAD || git -c core.fsmonitor= for-each-ref '--format=%(refname:short)' refs/heads/main refs/heads/master";
  const env = { GIT_OPTIONAL_LOCKS: "0" };
  const outcome = await host.commands.run({ command, cwd: host.workspace, timeoutMs, keepBytes: mostOutput, env, own: true });
  const [first = ""] = outcome.stdout.text.split(/\r?\n/);
  const branch = first.replace(/^origin\//, "").trim();
  return outcome.ended === "exit" && branch !== "" ? branch : undefined;
}
