import { readFileSync, statSync } from "node:fs";
import { homedir, userInfo } from "node:os";
import { join } from "node:path";
import { databaseParts } from "../../base/index.ts";

type Environment = Readonly<Record<string, string | undefined>>;
type Names = readonly [host: string, port: string, database: string, user: string];

/** `isGiven`: in the address or in `PGPASSWORD`. Else the password is that of the first line of the user's password file that fits, if any. */
export function passwordOf(url: string, env: Environment): { readonly isGiven: boolean; readonly password?: string | undefined } {
  // What the options name counts before the parts.
  const { password, ...parts } = { ...databaseParts(url), ...Object.fromEntries(new URLSearchParams(url.split("?")[1])) };
  const isGiven = (password ?? env["PGPASSWORD"] ?? "") !== "";
  if (isGiven) return { isGiven };
  const user = parts.user ?? env["PGUSER"] ?? userInfo().username;
  const host = parts.host ?? env["PGHOST"] ?? "localhost";
  const names: Names = [
    host.startsWith("/") ? "localhost" : host,
    parts.port ?? env["PGPORT"] ?? "5432",
    parts.database ?? env["PGDATABASE"] ?? user,
    user,
  ];
  return { isGiven, password: passwordIn(readOwn(env["PGPASSFILE"] ?? join(env["HOME"] ?? homedir(), ".pgpass")), names) };
}

/** As `psql` reads it: the first line whose names are those of the connection or `*`; `\` keeps the character behind it. */
export function passwordIn(text: string, names: Names): string | undefined {
  const plain = (field: string): string => field.replaceAll(/\\(.)/g, "$1");
  for (const line of text.split(/\r?\n/)) {
    const [, ...fields] = lineForm.exec(line) ?? [];
    const password = fields.pop();
    if (password !== undefined && fields.every((field, at) => field === "*" || plain(field) === names[at])) return plain(password);
  }
  return undefined;
}

const field = String.raw`((?:\\.|[^:\\])*):`;
const lineForm = new RegExp(`^(?!#)${field.repeat(4)}(.*)$`);

/** Empty for a file that is not there, and for one that others can read, which PostgreSQL's own programs leave alone too. */
function readOwn(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isFile() !== true || (process.platform !== "win32" && (found.mode & 0o077) !== 0)) return "";
  return readFileSync(path, "utf8");
}
