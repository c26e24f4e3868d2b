const forms = ["workflow:", "/invoke-workflow"];
/** The line names a workflow and says nothing else. */
const routingLine = /^\s*(?:workflow:|\/invoke-workflow\s)\s*(\S+)[ \t]*(?:\r?\n|$)/i;
const longestLine = 1000;

/** Passes on what an agent says, but for a line at its beginning that is meant for the router: one that starts nothing says nothing to people. */
export class HoldRoutingLine {
  readonly #pass: (text: string) => void;
  #held: string | undefined = "";
  #named: string | undefined;

  constructor(pass: (text: string) => void) {
    this.#pass = pass;
  }

  /** The name in the line that was held back. */
  get named(): string | undefined {
    return this.#named;
  }

  add(text: string): void {
    if (this.#held === undefined) return this.#pass(text);
    this.#held += text;
    if (!mayBeRouting(this.#held)) this.end();
  }

  /** Nothing more comes. */
  end(): void {
    const text = this.#held ?? "";
    this.#held = undefined;
    const [line = "", name] = routingLine.exec(text) ?? [];
    this.#named ??= name;
    if (text.length > line.length) this.#pass(text.slice(line.length));
  }
}

/** The first line is not ended, and is one for the router or may become one. */
function mayBeRouting(text: string): boolean {
  const begin = text.trimStart().toLowerCase();
  const isOpen = !/\S[ \t]*\n/.test(begin.replace(/^workflow:\s*/, "")) && begin.length <= longestLine;
  return isOpen && forms.some((form) => begin.startsWith(form) || form.startsWith(begin));
}
