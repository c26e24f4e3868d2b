/** Names of the two files in a project area. */
export const stateFile = "workflow_state.json";
export const logFile = "activity_log.json";

/** A path below the project area, relative to the workspace. */
export function inArea(area: string, path: string): string {
  return area === "." ? path : `${area}/${path}`;
}

export type ChosenArea = { readonly area: string } | { readonly refused: string };

/** A project area as it is kept: relative to the workspace, with `/`. It lies inside the workspace and never in a bot's own folder. */
export function chosenArea(workspace: string, given: string): ChosenArea {
  const text = given.trim().replaceAll("\\", "/");
  const below = text === workspace ? "." : text.startsWith(`${workspace}/`) ? text.slice(workspace.length + 1) : text;
  const names = below.split("/").filter((name) => name !== "" && name !== ".");
  if (text === "") return { refused: "No folder was named as the project area." };
  if (below.startsWith("/") || /^[a-z]:/i.test(below) || names.includes("..") || below.includes("\0"))
    return { refused: `\`${given}\` is outside the workspace, so it cannot be the project area.` };
  if (names[0] === ".waymark" || names[0] === ".aromcp" || names[0] === ".git" || names.includes("node_modules"))
    return { refused: `\`${given}\` belongs to Waymark or other tools, so it cannot be the project area.` };
  return { area: names.length === 0 ? "." : names.join("/") };
}
