/** Whether a text is the address of a database, not a folder. */
export function isDatabaseAddress(text: string): boolean {
  return /^postgres(?:ql)?:\/\//i.test(text);
}

/** Whether a text begins as the address of a database does and lacks its `//`. */
export function isMistypedAddress(text: string): boolean {
  return /^postgres(?:ql)?:(?!\/\/)/i.test(text);
}

/** Whether a text is an address of any kind, as `mysql://host`, or a mistyped one: no folder is meant, and a part of it may be a password. */
export function isAddress(text: string): boolean {
  return /^[a-z][a-z\d+.-]+:\/\//i.test(text) || isMistypedAddress(text);
}

/**
 * Strict: a password with one of `@ : / ? #` in it that is not written as `%40` and so on could be taken for another part, and shown. Parts: user,
 * host with port, database.
 */
const form =
  /^postgres(?:ql)?:\/\/(?:([^\s:@/?#]+)(?::([^\s:@/?#]*))?@)?((?:[^\s:@/?#[\]]*|\[[\da-f:.]+\])(?::\d+)?)(\/[^\s@:/?#]*)?(?:\?[^\s@#]*)?$/i;

/** The address as it may be shown: without password and options. A text that is none shows nothing of itself. */
export function shownDatabase(address: string): string {
  const parts = form.exec(address);
  if (parts === null) return "postgres://(not an address)";
  const [, user = "", , host = "", database = ""] = parts;
  return `postgres://${user === "" ? "" : `${user}@`}${host}${database === "/" ? "" : database}`;
}

/** Whether it can be read: characters that separate its parts are written as `%40` and so on. */
export function isReadableAddress(address: string): boolean {
  return form.test(address);
}

/** What the address names; a part that is empty is absent. Only for an address that can be read. */
export function databaseParts(address: string): Readonly<Partial<Record<"user" | "password" | "host" | "port" | "database", string>>> {
  const [, user = "", password = "", place = "", database = ""] = form.exec(address) ?? [];
  const [, host = "", port = ""] = /^(.*?)(?::(\d+))?$/.exec(place) ?? [];
  const found = { user, password, host: host.replace(/^\[(.*)\]$/, "$1"), port, database: database.slice(1) };
  const parts = Object.entries(found).map(([name, part]) => [name, decodeURIComponent(part)] as const);
  return Object.fromEntries(parts.filter(([, part]) => part !== ""));
}
