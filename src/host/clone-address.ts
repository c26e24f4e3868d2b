/** An address of a repository in the one form that two addresses are compared in; a `path` is absolute. */
export interface CloneAddress {
  readonly kind: "url" | "ssh" | "path";
  readonly text: string;
}

const longest = 2000;

/**
 * Reads an address that git may clone from: `https://`, `ssh://`, `user@host:path`, `http://` of this computer or `file:///`. Answers
 * undefined for everything else: other transports, options, secrets in the address, and ways that lead up or are written in two forms.
 */
export function readCloneAddress(given: string): CloneAddress | undefined {
  if (given === "" || given.length > longest || given.startsWith("-") || /[\p{C}\p{Z}\\]/u.test(given)) return undefined;
  const [, path] = /^file:\/\/(\/.*)$/.exec(given) ?? [];
  if (path !== undefined) return hasPlainParts(path.slice(1)) && !path.includes("%") ? { kind: "path", text: path } : undefined;
  if (given.includes("://")) return readUrl(given);
  const [, user = "", host = "", way = ""] = /^(?:([A-Za-z0-9][\w.-]*)@)?([A-Za-z0-9][\w.-]+):(?!:)(.*)$/.exec(given) ?? [];
  if (host === "" || !hasPlainParts(way.replace(/^\//, ""))) return undefined;
  return { kind: "ssh", text: `${user === "" ? "" : `${user}@`}${host.toLowerCase()}:${way}` };
}

export function isCloneAddress(value: unknown): boolean {
  return typeof value === "string" && readCloneAddress(value) !== undefined;
}

/** Whether an address is the other one or below it: never only longer by a part of a name. */
export function isBelowAddress(above: CloneAddress, { kind, text }: CloneAddress): boolean {
  if (above.kind !== kind) return false;
  const start = /[/:]$/.test(above.text) ? above.text : `${above.text}/`;
  return text.startsWith(start) || withoutEnding(text) === withoutEnding(above.text);
}

function readUrl(given: string): CloneAddress | undefined {
  if (!URL.canParse(given)) return undefined;
  const { protocol, username, password, hostname, host, pathname, search, hash } = new URL(given);
  const isHere = hostname === "localhost" || hostname === "[::1]" || /^127(\.\d{1,3}){3}$/.test(hostname);
  const isKnown = protocol === "https:" || protocol === "ssh:" || (protocol === "http:" && isHere);
  // A name is a part of the address with SSH; with the others it may be a token.
  const isSecret = password !== "" || (username !== "" && protocol !== "ssh:");
  const [, way = ""] = /^[^:]+:\/\/[^/?#]*\/?(.*)$/.exec(given) ?? [];
  if (!isKnown || isSecret || hostname === "" || search !== "" || hash !== "" || !hasPlainParts(way)) return undefined;
  return { kind: "url", text: `${protocol}//${username === "" ? "" : `${username}@`}${host}${pathname}` };
}

/** Only an end may be empty: a folder above others may be written with `/` behind it. */
function hasPlainParts(path: string): boolean {
  if (/%(?:2e|2f|5c|00)/i.test(path) || /[?#]/.test(path)) return false;
  const parts = path.split("/");
  return parts.every((part, at) => part !== "." && part !== ".." && (part !== "" || at === parts.length - 1));
}

function withoutEnding(text: string): string {
  return text.replace(/\/$/, "").replace(/\.git$/, "");
}
