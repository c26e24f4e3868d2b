import { defined, isObject, type JsonObject } from "../../../base/index.ts";
import type { Output } from "../../../cli/index.ts";
import type { Instance } from "../../../ports/index.ts";
import type { Item } from "../../../program/index.ts";

type Fields = Readonly<Record<string, unknown>>;

const places = ["file", "line", "column", "end_line", "end_column"] as const;
const instanceFields = [...places, "pattern", "type", "auto_fixable", "text", "seed_type", "why", "guide", "step"] as const;
const entryFields = ["file", "entry", "type", "text", "topic_id", "phase", "required"] as const;

/** An instance of a scan, under the names that `scan` and `items` print. */
export function scannedLine(file: string, { endLine, endColumn, auto, seedType, ...instance }: Instance): JsonObject {
  const named = { end_line: endLine, end_column: endColumn, auto_fixable: auto, seed_type: seedType };
  return chosen(instanceFields, { ...instance, ...named, file });
}

/** A row of a run as a line: an instance like one of a scan, anything else with what it asks for; both with their status. */
export function rowLine(row: Item, workflow?: string): JsonObject {
  const { id, status, reason, facets } = row;
  const kind = facets["kind"] ?? "entry";
  // How it was fixed says nothing once it is found again.
  const fixed = row.label === "auto_fixed" || row.label === "by_hand";
  const label = fixed && status !== "completed" ? undefined : (row.label ?? (facets["flag"] === "yes" ? "flagged" : undefined));
  return { ...rowFields(row, kind), id, kind, status, ...defined({ reason, label, workflow }) };
}

function rowFields({ id, facets, data: held }: Item, kind: string): JsonObject {
  const data = isObject(held) ? held : {};
  if (kind === "instance") return chosen(instanceFields, { ...data, auto_fixable: data["auto"] });
  if (kind === "file") return defined({ file: id, type: facets["object"] ?? data["language"], size: data["size"] });
  return chosen(entryFields, { ...data, text: data["description"] });
}

/** Those that have a value, in this order. */
function chosen(names: readonly string[], from: Fields): JsonObject {
  return defined(Object.fromEntries(names.map((name) => [name, from[name]]))) as JsonObject;
}

/** Characters that are collected before they are handed to stdout. */
const chunkChars = 64 * 1024;

/** JSON lines, handed on in chunks; waits for the reader, so that nothing piles up. `flush` at the end. */
export class LinePrinter {
  readonly #out: Output;
  #held = "";

  constructor(out: Output) {
    this.#out = out;
  }

  async print(value: object): Promise<void> {
    this.#held += `${JSON.stringify(value)}\n`;
    if (this.#held.length >= chunkChars) await this.flush();
  }

  async flush(): Promise<void> {
    if (this.#held === "") return;
    this.#out.raw(this.#held);
    this.#held = "";
    await this.#out.flush();
  }
}
