/** Matches without a new needle before the needles not yet seen are looked for one by one. */
const mostRepeats = 32;

/**
 * Looks for many short ASCII texts at once, in any case: one regular expression for all of them says of most files that none is
 * there. Without the flag `u` no character outside ASCII folds into a letter of it, so the text may hold anything.
 */
export class NeedleSearch {
  readonly needles: readonly string[];
  readonly #any: RegExp;
  readonly #each: readonly RegExp[];

  /** `needles`: lower-case ASCII, not empty. */
  constructor(needles: readonly string[]) {
    const sources = needles.map((needle) => needle.replaceAll(/[^\w]/g, "\\$&"));
    this.needles = needles;
    this.#any = new RegExp(needles.length === 0 ? "[]" : sources.join("|"), "gi");
    this.#each = sources.map((source) => new RegExp(source, "gi"));
  }

  /** By index of the needle: 1 when it was seen. */
  search(text: string): Uint8Array {
    const { needles } = this;
    const seen = new Uint8Array(needles.length);
    const any = this.#any;
    any.lastIndex = 0;
    let left = needles.length;
    let repeats = 0;
    for (let match = any.exec(text); match !== null; match = any.exec(text)) {
      const before = left;
      for (let index = 0; index < needles.length; index += 1) {
        if (seen[index] === 1 || !isAt(text, match.index, needles[index] as string)) continue;
        seen[index] = 1;
        left -= 1;
      }
      // Another needle may begin inside the one just seen.
      any.lastIndex = match.index + 1;
      if (left === before) repeats += 1;
      if (left === 0 || repeats > mostRepeats) break;
    }
    if (left === 0 || repeats <= mostRepeats) return seen;
    for (const [index, regex] of this.#each.entries()) {
      regex.lastIndex = any.lastIndex;
      if (seen[index] === 0 && regex.test(text)) seen[index] = 1;
    }
    return seen;
  }
}

function isAt(text: string, start: number, needle: string): boolean {
  for (let at = 0; at < needle.length; at += 1) {
    const unit = text.charCodeAt(start + at);
    if ((unit >= 65 && unit <= 90 ? unit + 32 : unit) !== needle.charCodeAt(at)) return false;
  }
  return true;
}
