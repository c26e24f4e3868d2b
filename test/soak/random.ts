/** Dice that fall the same way again for the same seed. */
export class Random {
  #state: number;

  constructor(...seeds: readonly (number | string)[]) {
    this.#state = 2166136261;
    for (const part of seeds.join("/")) this.#state = Math.imul(this.#state ^ part.charCodeAt(0), 16777619);
    for (let turn = 0; turn < 4; turn += 1) this.next();
  }

  /** In [0, 1). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  }

  /** A whole number from 0 to below `end`. */
  below(end: number): number {
    return Math.floor(this.next() * end);
  }

  chance(part: number): boolean {
    return this.next() < part;
  }

  pick<T>(from: readonly T[]): T {
    return from[this.below(from.length)] as T;
  }

  times<T>(most: number, make: (index: number) => T): T[] {
    return Array.from({ length: this.below(most + 1) }, (_, index) => make(index));
  }
}
