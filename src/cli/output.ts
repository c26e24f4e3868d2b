import type { Writable } from "node:stream";
import { styleText } from "node:util";
import { renderTable } from "./render-table.ts";
import type { CliWorld } from "./world.ts";
import { visibleText } from "../base/index.ts";

interface OutputFlags extends Pick<Output, "json" | "quiet"> {
  readonly jsonLines?: boolean;
  readonly place?: string;
}

type Style = "bold" | "dim" | "red" | "green" | "yellow" | "cyan";

/**
 * What a command says. With `--json` one document reaches stdout and with `--jsonl` lines; without either only text does. Everything passes one place that takes
 * the teeth out of control characters, since names, messages and commands come from files nobody may have read.
 */
export class Output {
  readonly json: boolean;
  /** What comes in numbers is printed as lines of JSON; `json` is true as well. */
  readonly jsonLines: boolean;
  readonly quiet: boolean;
  readonly #stdout: Writable;
  readonly #stderr: Writable;
  readonly #colours: boolean;
  readonly #place: string;
  /** How many members the list of `--json` has. */
  #listed: number | undefined;

  /** `place`: words that every printed command needs in order to be about the same folder and store. */
  constructor(world: Pick<CliWorld, "stdout" | "stderr" | "env">, flags: OutputFlags) {
    this.jsonLines = flags.jsonLines === true;
    this.json = flags.json || this.jsonLines;
    this.quiet = flags.quiet;
    this.#place = flags.place ?? "";
    this.#stdout = world.stdout;
    this.#stderr = world.stderr;
    const noColour = world.env["NO_COLOR"];
    this.#colours = (world.stdout as { isTTY?: boolean }).isTTY === true && (noColour === undefined || noColour === "");
  }

  /** One line or several for people; nothing with `--json`. */
  line(text = ""): void {
    if (!this.json) this.#stdout.write(`${this.plain(text)}\n`);
  }

  /** The text as `line` would write it. */
  plain(text: string): string {
    return plainText(text, this.#colours);
  }

  /** Lines with commands to type. */
  advice(text: string): void {
    this.line(this.placed(text));
  }

  /** What to do next: left out with `--quiet`. */
  hint(text: string): void {
    if (!this.quiet) this.advice(this.paint("cyan", text));
  }

  /** The text with commands that work where this one did. */
  placed(text: string): string {
    if (this.#place === "") return text;
    return text.replaceAll(commandHead, () => `waymark ${this.#place} `);
  }

  /** How many columns a line may take; undefined where stdout is not a terminal. */
  get columns(): number | undefined {
    const { isTTY, columns } = this.#stdout as { readonly isTTY?: boolean; readonly columns?: number };
    return isTTY === true ? (columns ?? 80) : undefined;
  }

  /** The JSON document of a command; nothing without `--json` or `--jsonl`. `line`: for a reader that takes lines while the command runs. */
  document(value: unknown, form: "pretty" | "line" = this.jsonLines ? "line" : "pretty"): void {
    if (this.#listed !== undefined) return this.entry(value);
    if (this.json) this.raw(`${this.#toJson(value, form === "pretty" ? 2 : undefined)}\n`);
  }

  /** From here on what is printed are entries: with `--json` they are one list, which is closed at the end of the command. */
  beginList(): void {
    if (this.json && !this.jsonLines) this.#listed ??= 0;
  }

  /** One of many: a line with `--jsonl`, a member of one list with `--json`, and nothing without. */
  entry(value: unknown): void {
    if (!this.json) return;
    this.beginList();
    const text = this.#toJson(value);
    if (this.#listed === undefined) return this.raw(`${text}\n`);
    this.raw(`${this.#listed === 0 ? "[\n" : ",\n"}${text}`);
    this.#listed += 1;
  }

  /** Closes the list that was begun, if one was. */
  endList(): void {
    if (this.#listed !== undefined) this.raw(this.#listed === 0 ? "[]\n" : "\n]\n");
    this.#listed = undefined;
  }

  #toJson(value: unknown, indent?: number): string {
    const placed = (key: string, part: unknown): unknown =>
      typeof part === "string" && (key === "next_command" || key === "later_command") ? this.placed(part) : part;
    return JSON.stringify(value, placed, indent);
  }

  /** Bytes that are a product of their own, whatever the flags say: a script, a schema, an export. */
  raw(text: string): void {
    this.#stdout.write(text);
  }

  /** Beside the result, on stderr: progress and warnings. Left out with `--quiet`. */
  aside(text: string): void {
    if (!this.quiet) this.#stderr.write(`${plainText(this.placed(text), false)}\n`);
  }

  /** Errors, on stderr, whatever the flags say. */
  complain(text: string): void {
    this.#stderr.write(`${plainText(text, this.#colours)}\n`);
  }

  table(headings: readonly string[], rows: readonly (readonly string[])[], indent = ""): void {
    const [head = "", ...lines] = renderTable([headings, ...rows]).map((row) => `${indent}${row}`);
    this.line(this.paint("dim", head));
    for (const row of lines) this.line(row);
  }

  paint(style: Style, text: string): string {
    if (!this.#colours || text === "") return text;
    return styleText(style, text, { validateStream: false });
  }

  /** Resolves when everything written so far has left this process. */
  async flush(): Promise<void> {
    for (const stream of [this.#stdout, this.#stderr]) await new Promise<void>((resolve) => void stream.write("", () => resolve()));
  }
}

/** What follows is a command, not a word of a sentence or a part of a path. */
export const commandHead: RegExp = /(?<![\w./-])waymark (?=[a-z])/g;

/** Escape sequences that `Output` itself writes. */
const styles = /(\u001b\[(?:1|2|22|31|32|33|36|39)m)/;

/**
 * Text that is safe to show: what could move the cursor, hide or reorder text is spelled out (`\u001b`). Line breaks and tabs stay, and
 * where colours are used so do the six styles of our own, none of which can hide anything.
 */
export function plainText(text: string, colours: boolean): string {
  const lines = text.replaceAll("\r\n", "\n");
  if (!colours) return visibleText(lines);
  return lines
    .split(styles)
    .map((part) => (styles.test(part) ? part : visibleText(part)))
    .join("");
}
