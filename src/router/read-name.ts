/** A workflow that a text names at its beginning, and what it says beside that. */
export interface Named {
  readonly workflow: string;
  readonly text: string;
}

/**
 * Finds the workflow in `<name>: text`, `run <name> text`, `/<name> text` and a name alone. The end of a name counts where only one workflow ends so
 * and it has several words: `fix-issue` of `acme-fix-issue`. A name of one word is found only with a colon, a slash or after `run` and `start`.
 */
export function readName(text: string, names: readonly string[]): Named | undefined {
  const begin = text.trimStart();
  const [first = ""] = /^\S{1,300}/.exec(begin) ?? [];
  const colon = beforeColon(first, names);
  if (colon !== undefined) return named(colon.workflow, begin.slice(colon.length), text);
  if (first.startsWith("/")) {
    const workflow = resolveName(first.slice(1), names);
    if (workflow !== undefined) return named(workflow, begin.slice(first.length), text);
  }
  const [opening = "", verb = ""] =
    /^(?:please\s+)?(?:(run|start|launch|use|begin|execute)\s+)?(?:the\s+)?(?:workflow\s+)?["'`*]{0,10}/i.exec(begin) ?? [];
  const [, written = "", end = ""] = /^(\S{1,300}?)(["'`*:,.!]{0,10})(?=\s|$)/.exec(begin.slice(opening.length)) ?? [];
  const workflow = resolveName(written, names);
  if (workflow === undefined) return undefined;
  const rest = begin.slice(opening.length + written.length + end.length).replace(/^\s+workflow\b/i, "");
  const isPlain = /^[\p{L}\p{N}]+$/u.test(written);
  if (verb === "") return !isPlain && rest.trim() === "" ? named(workflow, rest, text) : undefined;
  return isPlain && !/^(?:run|start|launch)$/i.test(verb) ? undefined : named(workflow, rest, text);
}

/** The workflow of this name, whatever its case, or the only one whose name ends so after a separator. */
export function resolveName(written: string, names: readonly string[], fewestParts = 2): string | undefined {
  const wanted = written.toLowerCase();
  if (wanted === "") return undefined;
  const same = names.filter((name) => name.toLowerCase() === wanted);
  if (same.length > 0) return names.includes(written) ? written : same.length === 1 ? same[0] : undefined;
  if (wanted.split(separators).length < fewestParts) return undefined;
  const ending = names.filter(
    (name) => name.toLowerCase().endsWith(wanted) && separators.test(name.charAt(name.length - wanted.length - 1)),
  );
  return ending.length === 1 ? ending[0] : undefined;
}

const separators = /[-_:./]/;

/** Names may hold colons: the longest one counts. */
function beforeColon(first: string, names: readonly string[]): { readonly workflow: string; readonly length: number } | undefined {
  const start = first.startsWith("/") ? 1 : 0;
  for (let at = first.lastIndexOf(":"); at > start; at = first.lastIndexOf(":", at - 1)) {
    const workflow = resolveName(first.slice(start, at), names);
    if (workflow !== undefined) return { workflow, length: at + 1 };
  }
  return undefined;
}

/** A name without a text is asked for with the whole message. */
function named(workflow: string, rest: string, whole: string): Named {
  const text = rest.replace(/^[\s:,.!-]+/, "").trimEnd();
  return { workflow, text: text === "" ? whole : text };
}
