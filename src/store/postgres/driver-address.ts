import { readFileSync } from "node:fs";
import type { ConnectionOptions } from "node:tls";
import { cannotOpen } from "../store-errors.ts";
import { requireDatabaseUrl } from "./database-url.ts";
import { passwordOf } from "./password-of.ts";

/** What the driver is given for an address. */
export interface DriverAddress {
  readonly connectionString: string;
  /** Absent where the address says nothing of TLS. */
  readonly ssl?: ConnectionOptions | false;
  /** Nobody gave one: a server that asks for one refuses the connection. */
  readonly withoutPassword: boolean;
}

type Environment = Readonly<Record<string, string | undefined>>;

const files = { ca: "sslrootcert", cert: "sslcert", key: "sslkey" } as const;

/** The meaning of TLS options and where a password is found are decided here: the driver announces that both will change, on every start. */
export function driverAddress(url: string, place: string, env: Environment = process.env): DriverAddress {
  requireDatabaseUrl(url);
  const [address = "", query = ""] = url.split("?");
  const params = new URLSearchParams(query);
  const ssl = tlsOptions(params, place, env);
  const { password, isGiven } = passwordOf(url, env);
  // Without any the driver keeps the connection open and says nothing to the server, which waits for a minute.
  if (!isGiven) params.set("password", password ?? "none was given");
  const rest = params.toString();
  return {
    connectionString: rest === "" ? address : `${address}?${rest}`,
    ...(ssl === undefined ? {} : { ssl }),
    withoutPassword: !isGiven && password === undefined,
  };
}

/** Takes the options out of the parameters; the variables of `psql` count where the address names none. */
function tlsOptions(params: URLSearchParams, place: string, env: Environment): DriverAddress["ssl"] {
  const named = params.get("sslmode") ?? (env["PGSSLMODE"] || undefined);
  const paths = Object.entries(files).flatMap(([option, name]) => {
    const path = params.get(name) ?? (named === undefined ? undefined : env[`PG${name.toUpperCase()}`]);
    params.delete(name);
    return path === undefined || path === "" ? [] : [[option, path] as const];
  });
  params.delete("sslmode");
  const mode = named ?? (paths.length > 0 ? "verify-full" : undefined);
  if (mode === undefined) return undefined;
  if (mode === "disable") return false;
  const given = Object.fromEntries(paths.map(([option, path]) => [option, readFileSync(path, "utf8")]));
  // As strict as the strictest: who asks for a safe connection gets one.
  if (mode === "require" || mode === "verify-full") return given;
  if (mode === "verify-ca" && "ca" in given) return { ...given, checkServerIdentity: () => undefined };
  if (mode === "no-verify") return { ...given, rejectUnauthorized: false };
  const why = mode === "verify-ca" ? "`sslmode=verify-ca` needs `sslrootcert`" : `\`sslmode=${mode.slice(0, 20)}\` is not possible`;
  throw cannotOpen(
    place,
    why,
    undefined,
    "Write `sslmode=verify-full`, with `sslrootcert=<file>` for an authority of your own, or `sslmode=disable`.",
  );
}
