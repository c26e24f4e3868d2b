import { git } from "./git.ts";
import { pathForOutput } from "./workspace-path.ts";

/**
 * What names the project of a workspace in a database that several share: the address of the repository that it was cloned from, the same over
 * every protocol and without credentials, with the folder in it where the workspace is not the whole; without one the workspace itself.
 */
export async function projectName(workspace: string): Promise<string> {
  const ask = (...args: readonly string[]): Promise<string> =>
    git(workspace, ...args).then(
      (text) => text.trim(),
      () => "",
    );
  const [origin, prefix] = await Promise.all([ask("config", "--get", "remote.origin.url"), ask("rev-parse", "--show-prefix")]);
  if (origin === "") return pathForOutput(workspace);
  const folder = prefix.replace(/\/$/, "");
  return folder === "" ? repositoryName(origin) : `${repositoryName(origin)}#${folder}`;
}

/** `git@host:team/app.git`, `ssh://git@host:22/team/app` and `https://user:token@host/team/app.git` are `host/team/app`. */
export function repositoryName(origin: string): string {
  const path = origin.replace(/\/+$/, "").replace(/\.git$/, "");
  const [, server, below = ""] =
    /^[a-z][\w+.-]*:\/\/(?:[^/]*@)?([^/:]+)(?::\d+)?\/(.*)$/i.exec(path) ?? /^(?:[^/@]*@)?([^/:@]{2,}):(?!\/\/)\/?(.*)$/.exec(path) ?? [];
  return server === undefined ? pathForOutput(path) : `${server.toLowerCase()}/${below}`;
}
