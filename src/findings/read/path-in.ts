const drive = /^[A-Za-z]:(?=[\\/])/;

/**
 * The path relative to the workspace, with `/`; undefined for the workspace itself and for what is outside of it. `\` divides names only where the
 * workspace is on Windows, since elsewhere it is a letter. On Windows the case of the workspace's own names does not matter.
 */
export function pathIn(workspace: string, named: string): string | undefined {
  const isWindows = drive.test(workspace) || workspace.startsWith("\\\\");
  const plain = (path: string): string => (isWindows || drive.test(path) ? path.replaceAll("\\", "/") : path);
  const way = plain(named);
  if (way.includes("\0")) return undefined;
  const whole = normalized(way.startsWith("/") || drive.test(way) ? way : `${plain(workspace)}/${way}`);
  const root = normalized(plain(workspace)).replace(/\/$/, "");
  const head = whole.slice(0, root.length);
  const isSame = head === root || (isWindows && head.toLowerCase() === root.toLowerCase());
  return isSame && whole.charAt(root.length) === "/" ? whole.slice(root.length + 1) || undefined : undefined;
}

/** The path in the URI of a file; undefined for the URI of something else. */
export function pathOfUri(uri: string): string | undefined {
  // Many tools write paths as they are. What no URI may hold was never encoded, so a `%` beside it is a `%`.
  const isEncoded = !/[^\u0021-\u007e]|["<>\\^`{|}]/.test(uri);
  const way = (isEncoded ? decoded(uri) : uri).replaceAll("\\", "/");
  const file = /^file:(?:\/\/(?<host>[^/]*))?(?<path>.*)$/is.exec(way)?.groups;
  if (file === undefined) return isAbsoluteUri(way) ? undefined : way.replace(/^\/(?=[A-Za-z]:\/)/, "");
  const { host = "", path = "" } = file;
  if (/^[A-Za-z]:$/.test(host)) return `${host}${path}`;
  const local = path.replace(/^\/+(?=[A-Za-z]:\/)/, "");
  return host === "" || host.toLowerCase() === "localhost" ? local : `//${host}${path}`;
}

/** Whether nothing belongs in front of a URI. */
export function isAbsoluteUri(uri: string): boolean {
  return /^(?:file:|[a-z][a-z0-9+.-]+:\/\/)/i.test(uri);
}

export function isAbsolutePath(path: string): boolean {
  return /^[\\/]/.test(path) || drive.test(path);
}

function decoded(uri: string): string {
  try {
    return decodeURIComponent(uri);
  } catch {
    return uri;
  }
}

/** Without `.`, `..`, and empty names. */
function normalized(path: string): string {
  const [root = "", ...names] = path.split("/");
  const kept: string[] = [];
  for (const name of names) {
    if (name === "..") kept.pop();
    else if (name !== "" && name !== ".") kept.push(name);
  }
  // A share of another computer begins with two.
  return `${path.startsWith("//") ? "/" : ""}${root}/${kept.join("/")}`;
}
