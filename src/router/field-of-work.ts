/** A kind of work on software. Words that are joined by `_` follow one another. Shapes such as `#time` are those of `words-of.ts`. */
export interface FieldOfWork {
  /** Words with which a workflow says that it does this. */
  readonly names: string;
  /** What people write who need it. */
  readonly signs: string;
}
