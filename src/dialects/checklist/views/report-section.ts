import type { Json, JsonObject } from "../../../base/index.ts";

/** One part of a report, the same for every format: people get titles and text, programs get keys and raw values. */
export type ReportSection = FactsSection | LinesSection | TableSection;

interface SectionHead {
  readonly key: string;
  readonly title: string;
  /** A sentence below the title. */
  readonly note?: string;
}

export interface FactsSection extends SectionHead {
  readonly kind: "facts";
  readonly entries: readonly { readonly key: string; readonly label: string; readonly value: Json }[];
}

export interface LinesSection extends SectionHead {
  readonly kind: "lines";
  readonly lines: readonly string[];
}

export interface TableSection extends SectionHead {
  readonly kind: "table";
  readonly columns: readonly { readonly key: string; readonly title: string }[];
  /** Rows with one value for each column that has one; read once. */
  readonly rows: AsyncIterable<JsonObject> | Iterable<JsonObject>;
  /** Said in place of an empty table; without it an empty table is left out for people. */
  readonly empty?: string;
}

export interface Report {
  readonly title: string;
  readonly interim: boolean;
  /** First lines, below the title. */
  readonly opening: readonly string[];
  /** Plain values that the JSON form begins with. */
  readonly head: JsonObject;
  readonly sections: readonly ReportSection[];
}
