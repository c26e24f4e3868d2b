/**
 * The folder a step asks to run in, as an absolute path; undefined when it leads out of the workspace. By names alone: a link
 * inside the workspace is the project's own.
 */
export function workspaceFolder(workspace: string, asked: string): string | undefined {
  const way = asked.replaceAll("\\", "/");
  const absolute = /^(?:[A-Za-z]:|\/)/.test(way);
  if (absolute && way !== workspace && !way.startsWith(`${workspace}/`)) return undefined;
  const names: string[] = [];
  for (const name of (absolute ? way.slice(workspace.length) : way).split("/")) {
    if (name === "..") {
      if (names.pop() === undefined) return undefined;
    } else if (name !== "" && name !== ".") names.push(name);
  }
  return [workspace, ...names].join("/");
}
