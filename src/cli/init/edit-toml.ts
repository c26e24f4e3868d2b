import { failure } from "../codes.ts";

const begin = "# >>> waymark: written by `waymark init`, taken out by `waymark init --remove`";
const finish = "# <<< waymark";

/**
 * Appends a block between two marker lines. The text ends with a line break afterwards exactly when it did before, and an empty line
 * comes before the block unless the file is new: so `removeBlock` knows every byte that was there.
 */
export function addBlock(text: string | undefined, table: string, lines: readonly string[], file: string): string {
  if (text === undefined) return `${blockOf(table, lines, "\n")}\n`;
  const found = findBlock(text);
  if (found !== undefined) return `${text.slice(0, found.start)}${blockOf(table, lines, found.eol)}${text.slice(found.end)}`;
  if (hasTable(text, table)) return text;
  const [group = ""] = table.split(".");
  if (new RegExp(`^\\s*${group}\\s*=`, "m").test(text)) {
    throw failure(
      "CLI_INIT_FILE",
      `\`${file}\` cannot be edited: \`${group}\` is written as one value there. It was not changed.`,
      `Add this by hand: ${[`[${table}]`, ...lines].join(" ")}`,
    );
  }
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const block = blockOf(table, lines, eol);
  return text === "" || text.endsWith("\n") ? `${text}${eol}${block}${eol}` : `${text}${eol}${eol}${block}`;
}

/** undefined when nothing but the block was in a file that was made for it. */
export function removeBlock(text: string): string | undefined {
  const found = findBlock(text);
  if (found === undefined) return text;
  const { start, end, eol } = found;
  const closed = text.startsWith(eol, end);
  if (start === 0) return closed && end + eol.length === text.length ? undefined : text.slice(end + (closed ? eol.length : 0));
  const before = text.slice(0, start);
  const gap = !closed && before.endsWith(eol + eol) ? eol.length * 2 : before.endsWith(eol) ? eol.length : 0;
  return `${before.slice(0, before.length - gap)}${text.slice(end + (closed ? eol.length : 0))}`;
}

export function hasTable(text: string, table: string): boolean {
  const path = table.split(".").map((part) => `\\s*(?:${part}|"${part}"|'${part}')\\s*`);
  return new RegExp(`^\\s*\\[${path.join("\\.")}\\]`, "m").test(text);
}

export function hasBlock(text: string): boolean {
  return findBlock(text) !== undefined;
}

function blockOf(table: string, lines: readonly string[], eol: string): string {
  return [begin, `[${table}]`, ...lines, finish].join(eol);
}

function findBlock(text: string): { readonly start: number; readonly end: number; readonly eol: string } | undefined {
  const start = text.startsWith(begin) ? 0 : text.indexOf(`\n${begin}`) + 1;
  if (start === 0 && !text.startsWith(begin)) return undefined;
  const eol = text.startsWith("\r\n", start + begin.length) ? "\r\n" : "\n";
  const end = text.indexOf(`\n${finish}`, start);
  return end < 0 ? undefined : { start, end: end + 1 + finish.length, eol };
}
