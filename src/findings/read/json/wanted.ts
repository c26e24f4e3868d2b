import type { Spot } from "./damage.ts";

/** Which parts of a document are cut out of it. What is not named is passed over. */
export interface Wanted {
  /** The value is handed over whole, under this name. */
  readonly take?: string;
  /** Why it may not be `null`: what must be there, for people. */
  readonly needed?: string;
  readonly keys?: Readonly<Record<string, Wanted>>;
  readonly items?: Wanted;
  /** A part without a value, under this name, where the object or list begins, and where it ends. */
  readonly begins?: string;
  readonly ends?: string;
}

/** A part of a document. */
export interface Part {
  readonly name: string;
  /** Index in each list that it is in, from the outside. */
  readonly indexes: readonly number[];
  readonly value: unknown;
  readonly at: Spot;
}
