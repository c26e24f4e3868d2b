import { cannotOpen } from "../store-errors.ts";

/** Whether a store's name is the address of a database, not a folder. */
export function isDatabaseUrl(store: string): boolean {
  return /^postgres(?:ql)?:\/\//i.test(store);
}

/** The address as it may be shown: without password and options. A text that is no address shows nothing of itself. */
export function shownDatabase(url: string): string {
  const parsed = parse(url);
  if (parsed === undefined) return "postgres://(not an address)";
  const user = parsed.username === "" ? "" : `${parsed.username}@`;
  return `postgres://${user}${parsed.host}${parsed.pathname === "/" ? "" : parsed.pathname}`;
}

/** Refuses what is not an address without repeating it, since a part of it may be a password. */
export function requireDatabaseUrl(url: string): void {
  if (parse(url) === undefined)
    throw cannotOpen(
      "postgres://",
      "its address cannot be read; characters such as `@`, `/`, `#` and `%` in a password are written as `%40`, `%2F`, `%23` and `%25`",
    );
}

function parse(url: string): URL | undefined {
  try {
    return new URL(url);
  } catch {
    return undefined;
  }
}
