/** The shortest words that are compared, and in which one wrong letter is taken for a slip. */
const shortest = { derived: 6, slip: 7 } as const;
/** How long the common beginning of two words for the same is, and how much may come after it. */
const derived = { begin: 5, rest: 4 } as const;

/** A word of the vocabulary that is written almost the same, or is derived from the same word. */
export function nearestWord(
  word: string,
  vocabulary: ReadonlySet<string>,
): { readonly word: string; readonly isSlip: boolean } | undefined {
  if (word.length < shortest.derived || !/^\p{L}+$/u.test(word)) return undefined;
  let best: string | undefined;
  for (const other of vocabulary) {
    if (other.length < shortest.derived) continue;
    if (word.length >= shortest.slip && isOneEditAway(word, other)) return { word: other, isSlip: true };
    const common = commonBegin(word, other);
    const [short, long] = [Math.min(word.length, other.length), Math.max(word.length, other.length)];
    if (
      common >= derived.begin &&
      short - common <= 1 &&
      long - common <= derived.rest &&
      common > (best === undefined ? 0 : commonBegin(word, best))
    )
      best = other;
  }
  return best === undefined ? undefined : { word: best, isSlip: false };
}

function commonBegin(one: string, other: string): number {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  return at;
}

/** One letter is missing, too many, another one, or two neighbours changed places. */
function isOneEditAway(one: string, other: string): boolean {
  if (Math.abs(one.length - other.length) > 1 || one.slice(0, 2) !== other.slice(0, 2)) return false;
  const at = commonBegin(one, other);
  const ends = (a: number, b: number): boolean => one.slice(at + a) === other.slice(at + b);
  const swapped = one[at] === other[at + 1] && one[at + 1] === other[at];
  return ends(1, 1) || ends(1, 0) || ends(0, 1) || (swapped && ends(2, 2));
}
