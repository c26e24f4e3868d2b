/** The function with its answers kept by key. They are forgotten when there are `most` of them. */
export function remembering<Given, T>(
  make: (given: Given) => T,
  most: number,
  keyOf: (given: Given) => string = String,
): (given: Given) => T {
  const known = new Map<string, { readonly made: T }>();
  return (given) => {
    const key = keyOf(given);
    const held = known.get(key);
    if (held !== undefined) return held.made;
    const made = make(given);
    if (known.size >= most) known.clear();
    known.set(key, { made });
    return made;
  };
}
