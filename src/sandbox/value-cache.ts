/** Ids of values that the other side keeps, least recently used first, with what each weighs. */
export class ValueCache {
  readonly #weights = new Map<number, { readonly weight: number; readonly text?: string }>();
  readonly #byText = new Map<string, number>();
  weight = 0;

  get size(): number {
    return this.#weights.size;
  }

  /** Whether the id is kept; if so it counts as used just now. */
  touch(id: number): boolean {
    const held = this.#weights.get(id);
    if (held === undefined) return false;
    this.#weights.delete(id);
    this.#weights.set(id, held);
    return true;
  }

  findText(text: string): number | undefined {
    return this.#byText.get(text);
  }

  add(id: number, weight: number, text?: string): void {
    this.#weights.set(id, text === undefined ? { weight } : { weight, text });
    if (text !== undefined) this.#byText.set(text, id);
    this.weight += weight;
  }

  remove(id: number): void {
    const held = this.#weights.get(id);
    if (held === undefined) return;
    this.#weights.delete(id);
    if (held.text !== undefined) this.#byText.delete(held.text);
    this.weight -= held.weight;
  }

  /** Gives up the oldest ids, but none of `used`, until `fits`; answers them. */
  trim(used: ReadonlySet<number>, fits: () => boolean): number[] {
    const dropped: number[] = [];
    for (const id of this.#weights.keys()) {
      if (fits()) break;
      if (used.has(id)) continue;
      this.remove(id);
      dropped.push(id);
    }
    return dropped;
  }
}
