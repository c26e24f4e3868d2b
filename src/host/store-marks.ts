import { randomUUID } from "node:crypto";
import { defined, isObject } from "../base/index.ts";
import type { StoreIdentity, StoreMarks } from "../ports/index.ts";
import { PrivateLines, type PrivateOptions } from "./private-lines.ts";

/** Without `file`: a store that is being made, or was and nobody has looked since. */
interface Mark {
  readonly store: string;
  readonly file?: string;
  readonly at: string;
}

/** Marks in the user's data folder. Rejects when the file could have been written by the project or by another user. */
export class StoreMarkFile implements StoreMarks {
  readonly #lines: PrivateLines<Mark>;

  constructor(options: PrivateOptions) {
    this.#lines = new PrivateLines(options, "stores.jsonl", parseMark);
  }

  async announce(): Promise<string> {
    const store = randomUUID();
    await this.#mark({ store });
    return store;
  }

  /** A store that was only announced is bound to its file when it is first seen. */
  async has(store: StoreIdentity): Promise<boolean> {
    const marks = (await this.#lines.read()).filter((mark) => mark.store === store.id);
    const bound = marks.filter(({ file }) => file !== undefined);
    if (marks.length === 0 || bound.length > 0) return bound.some(({ file }) => file === store.file);
    await this.adopt(store);
    return true;
  }

  async adopt({ id, file }: StoreIdentity): Promise<void> {
    await this.#mark({ store: id, file });
  }

  async #mark({ store, file }: Omit<Mark, "at">): Promise<void> {
    await this.#lines.append({ store, ...defined({ file }), at: new Date().toISOString() });
  }
}

function parseMark(held: unknown): Mark | undefined {
  if (!isObject(held) || typeof held["store"] !== "string" || held["store"] === "" || typeof held["at"] !== "string") return undefined;
  return held["file"] === undefined || typeof held["file"] === "string" ? (held as unknown as Mark) : undefined;
}
