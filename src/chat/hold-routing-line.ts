import { bareName, readRoutingLine } from "../router/index.ts";

/** The rest of a line that names a workflow and says nothing else. */
const nothingElse = /^[^\S\n]*(?:\n|$)/;
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
    if (!mayBeRouting(this.#held.trimStart())) this.end();
  }

  /** Nothing more comes. */
  end(): void {
    const text = this.#held ?? "";
    this.#held = undefined;
    const line = text.trimStart();
    const found = readRoutingLine(line, true);
    const after = typeof found === "string" ? "" : line.slice(found.length);
    const isAlone = typeof found !== "string" && nothingElse.test(after);
    if (isAlone) this.#named ??= bareName(found.name);
    const shown = isAlone ? after.replace(nothingElse, "") : text;
    if (shown !== "") this.#pass(shown);
  }
}

/** The first line is not ended, and is one for the router or may become one. */
function mayBeRouting(line: string): boolean {
  if (line.length > longestLine) return false;
  const found = line === "" ? "open" : readRoutingLine(line, false);
  return typeof found === "string" ? found === "open" : /^[^\S\n]*$/.test(line.slice(found.length));
}
