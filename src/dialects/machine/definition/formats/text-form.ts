import type { SessionReader } from "./session-reader.ts";

/** A byte order mark and carriage returns are accepted in every file, and reported. */
export function reportOnText(reader: SessionReader, text: string): void {
  if (text.startsWith("\uFEFF"))
    reader.warn([], "MACHINE_BYTE_MARK", `\`${reader.file}\` begins with a byte order mark.`, "Save the file as UTF-8 without a mark.");
  if (text.includes("\r"))
    reader.warn(
      [],
      "MACHINE_LINE_ENDINGS",
      `\`${reader.file}\` ends lines with carriage returns.`,
      "Save the file with `\\n` as line ending.",
    );
}

/** Without mark and carriage returns. */
export function plainText(text: string): string {
  return (text.startsWith("\uFEFF") ? text.slice(1) : text).replace(/\r\n?/g, "\n");
}
