/** Lines of a shell that a page prints, as far as the pages use it: words, quotes, a comment, one pipe and a redirection of stdout. */
export interface ShellLine {
  /** As it is printed, without its comment. */
  readonly text: string;
  readonly words: readonly string[];
  /** What is piped into the words. */
  readonly from?: string;
  /** File that stdout goes to. */
  readonly to?: string;
}

/** The lines of all blocks of a language in a page. */
export function blockLines(page: string, language: string): readonly string[] {
  return [...page.matchAll(new RegExp(`^\`\`\`${language}\n([^]*?)^\`\`\``, "gm"))].flatMap(([, block = ""]) =>
    block.split("\n").filter((line) => line.trim() !== ""),
  );
}

export function readShellLine(line: string): ShellLine {
  const text = line.replace(/\s+#\s.*$/, "").trim();
  const [before = "", behind] = text.split(" | ");
  const command = behind ?? before;
  const [called = "", to] = command.split(" > ");
  // A word such as key="a value" is one.
  const words = called.match(/(?:[^\s"']|"[^"]*"|'[^']*')+/g) ?? [];
  return {
    text,
    words: words.map((word) =>
      word.replaceAll(/"([^"]*)"|'([^']*)'/g, (_, double: string | undefined, single: string | undefined) => double ?? single ?? ""),
    ),
    ...(behind === undefined ? {} : { from: before }),
    ...(to === undefined ? {} : { to: to.trim() }),
  };
}
