import { homedir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";

export type Environment = Readonly<Record<string, string | undefined>>;

/** Places of the user, outside any workspace. */
export interface UserFolders {
  readonly home: string;
  /** Permissions; `WAYMARK_DATA_HOME` names another place. */
  readonly data: string;
  /** The user's `config.yaml`; `WAYMARK_CONFIG_HOME` names another place. */
  readonly config: string;
}

export function userFolders(env: Environment, platform: NodeJS.Platform = process.platform): UserFolders {
  const home = absolute(platform === "win32" ? env["USERPROFILE"] : env["HOME"]) ?? homedir();
  return {
    home,
    data: chosen(env["WAYMARK_DATA_HOME"]) ?? join(standardFolder("data", { env, home, platform }), "waymark"),
    config: chosen(env["WAYMARK_CONFIG_HOME"]) ?? join(standardFolder("config", { env, home, platform }), "waymark"),
  };
}

function standardFolder(kind: "data" | "config", of: { env: Environment; home: string; platform: NodeJS.Platform }): string {
  if (of.platform === "darwin") return join(of.home, "Library", "Application Support");
  if (of.platform === "win32") {
    const [variable, folder] = kind === "data" ? (["LOCALAPPDATA", "Local"] as const) : (["APPDATA", "Roaming"] as const);
    return of.env[variable] || join(of.home, "AppData", folder);
  }
  const [variable, way] = kind === "data" ? (["XDG_DATA_HOME", [".local", "share"]] as const) : (["XDG_CONFIG_HOME", [".config"]] as const);
  return absolute(of.env[variable]) ?? join(of.home, ...way);
}

function chosen(value: string | undefined): string | undefined {
  return value === undefined || value === "" ? undefined : resolve(value);
}

/** The XDG rules say that a relative value is to be ignored. */
function absolute(value: string | undefined): string | undefined {
  return value !== undefined && isAbsolute(value) ? value : undefined;
}

/** Variables that give the bearer a person's or a client's rights, or all of the store; nothing Waymark starts may hold them. */
const ownTokenVariables: readonly string[] = ["WAYMARK_PERSON_TOKEN", "WAYMARK_TOKEN", "WAYMARK_STORE_URL"];

/** What a command or a tool server sees: this process' environment, since builds need it, without Waymark's own tokens. */
export function childEnvironment(env: Environment, more: Environment = {}): Record<string, string> {
  const held: Record<string, string> = {};
  for (const [name, value] of Object.entries({ ...env, ...more })) {
    if (value !== undefined && !ownTokenVariables.includes(name.toUpperCase())) held[name] = value;
  }
  return held;
}
