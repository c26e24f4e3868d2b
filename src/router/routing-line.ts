/** What makes a line or a word of it bold or code. */
const markup = /^(?:\*{1,3}|_{1,3}|`{1,2})/;

/** The two forms in which a model names a workflow, at the beginning of a line. */
const forms = [/^WORKFLOW:(?:[*_`]{1,3}\s+|\s*(?![*_`]{1,3}(?:\s|$)))(\S+)/, /^\/invoke-workflow\s+(\S+)/i] as const;

export interface RoutingLine {
  /** As it was written, with what is around it. */
  readonly name: string;
  /** How many characters the form takes, the name included. */
  readonly length: number;
}

/**
 * What a text that begins with a line says: a routing line, `none`, or `open` as long as more text may make it one. The name may be on a later
 * line than the form's first word.
 */
export function readRoutingLine(line: string, isWhole: boolean): RoutingLine | "none" | "open" {
  const text = line.replace(markup, "");
  for (const form of forms) {
    const [all, name] = form.exec(text) ?? [];
    if (all === undefined || name === undefined) continue;
    return isWhole || all.length < text.length ? { name, length: line.length - text.length + all.length } : "open";
  }
  return !isWhole && isUnfinished(text) ? "open" : "none";
}

function isUnfinished(text: string): boolean {
  const mayBecome = (begin: string, written: string): boolean =>
    begin.startsWith(written) || (written.startsWith(begin) && /^\s*[*_`]{0,3}\s*$/.test(written.slice(begin.length)));
  return mayBecome("WORKFLOW:", text) || mayBecome("/invoke-workflow", text.toLowerCase());
}

/** Names in routing lines anywhere in a text, also inside a sentence: who writes one of these names in such a line repeats the text. */
export function namesInRoutingLines(text: string): ReadonlySet<string> {
  const found = [...text.matchAll(/(?:WORKFLOW:[*_`]{0,3}\s*|\/invoke-workflow\s+)(\S+)/gi)];
  return new Set(found.map(([, name = ""]) => bareName(name).toLowerCase()));
}

/** Whether a text has a routing form, also inside a sentence. */
export function hasRoutingForm(text: string): boolean {
  return /WORKFLOW:|\/invoke-workflow\s/.test(text);
}

/** A text without the lines that would name a workflow if a model wrote them: they say nothing about what is wanted. */
export function withoutRoutingLines(text: string): string {
  return text.replaceAll(/^[\t >"'`*_]*(?:workflow:|\/invoke-workflow\s).*$/gim, "");
}

/** Without quotes, backticks and asterisks around it and without punctuation at its end. */
export function bareName(written: string): string {
  return written.replace(/^["'`*_“”‘’«»]+/u, "").replace(/["'`*_“”‘’«».,;:!?]{1,20}$/u, "");
}

/** The known name that is meant: the same one, the same without what is around it, or the only one that differs in case. */
export function findName(written: string, known: readonly string[]): string | undefined {
  if (known.includes(written)) return written;
  const bare = bareName(written);
  if (known.includes(bare)) return bare;
  const alike = known.filter((name) => name.toLowerCase() === bare.toLowerCase());
  return alike.length === 1 ? alike[0] : undefined;
}
