/** What people want to know of a workflow before they start it, in sentences without names of its inside. */
export interface Told {
  /** In their order. Lines that begin with a space belong to the one before. */
  readonly happens: readonly string[];
  /** Each question that may come. */
  readonly asks: readonly string[];
  readonly ends: string;
  /** What is run beside what a person allows beforehand. */
  readonly runs?: readonly string[];
}
