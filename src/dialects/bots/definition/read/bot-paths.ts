/** A path with `/` between its parts. */
export function posixPath(path: string): string {
  return path.replaceAll("\\", "/");
}

/** A path without `.` and with every `..` resolved that can be; one that leads out of its start keeps its leading `..`. */
export function normalPath(path: string): string {
  const kept: string[] = [];
  for (const part of posixPath(path).split("/")) {
    if (part === "" || part === ".") continue;
    if (part === ".." && kept.length > 0 && kept.at(-1) !== "..") kept.pop();
    else kept.push(part);
  }
  return kept.join("/");
}

export function folderOf(path: string): string {
  return path.includes("/") ? path.slice(0, path.lastIndexOf("/")) : "";
}

export function joinPath(folder: string, path: string): string {
  return normalPath(folder === "" ? path : `${folder}/${path}`);
}

/** A path below the bot's folder as one that can be opened; the separators of the folder are kept. */
export function openPath(root: string, path: string): string {
  if (root === "" || root === ".") return path;
  const separator = root.includes("\\") && !root.includes("/") ? "\\" : "/";
  const kept = root.replace(/[\\/]+$/, "").split(/[\\/]/);
  for (const part of path.split("/")) {
    if (part === ".." && kept.length > 1) kept.pop();
    else kept.push(part);
  }
  return kept.join(separator);
}
