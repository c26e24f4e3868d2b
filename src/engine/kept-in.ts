interface Making<T> {
  readonly key: string;
  /** So many are kept at most; with one more all others are given up. */
  readonly most: number;
  readonly make: () => T;
}

/** What is kept under the key, made and kept when it is not there. */
export function keptIn<T extends object>(kept: Map<string, T>, { key, most, make }: Making<T>): T {
  const known = kept.get(key);
  if (known !== undefined) return known;
  const made = make();
  if (kept.size >= most) kept.clear();
  kept.set(key, made);
  return made;
}
