/** The names that a text mentions as whole words. A name inside a longer one, or inside a command, is not mentioned. */
export function mentioned(text: string, names: readonly string[]): readonly string[] {
  let left = text;
  const found: string[] = [];
  for (const name of longestFirst(names)) {
    const rest = left.replaceAll(new RegExp(whole(name), "g"), "\n");
    if (rest !== left) found.push(name);
    left = rest;
  }
  return found;
}

/** A pattern for texts that mention one of these. */
export function mentioning(names: readonly string[]): string {
  return `[\\s\\S]*?(?:${longestFirst(names).map(whole).join("|")})[\\s\\S]*`;
}

/** A word as a pattern that matches nothing but it. */
export function literal(word: string): string {
  return word.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}

function whole(name: string): string {
  return `(?<![\\w.-])${literal(name)}(?![\\w-]|\\.\\w)`;
}

function longestFirst(names: readonly string[]): readonly string[] {
  return [...new Set(names)].filter((name) => name !== "").toSorted((a, b) => b.length - a.length);
}
