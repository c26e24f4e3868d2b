/** A place in a source file; line and column count from 1, columns in UTF-16 units. */
export interface Place {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly endLine?: number;
  readonly endColumn?: number;
}

/** One problem of a definition. All problems of a file set are reported together. */
export interface Diagnostic {
  readonly code: string;
  readonly severity: "error" | "warning";
  readonly message: string;
  readonly fix?: string;
  /** Position in the document, e.g. `steps[2].then[0].path`. */
  readonly path?: string;
  readonly place?: Place;
}
