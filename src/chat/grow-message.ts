import type { Alarms } from "../ports/index.ts";

/** What a platform that can change a message offers. */
export interface EditableMessages<Id> {
  post(text: string): Promise<Id>;
  edit(message: Id, text: string): Promise<void>;
}

/** Platforms refuse more edits than about this. */
const pauseMs = 500;

/**
 * For adapters: shows a message as it grows, posted with its first words and then edited, at most every 500 ms. The last edit has all of it. An edit in
 * between that fails is made up for by the next one; rejects when the post or the last edit fails.
 */
export async function growMessage<Id>(
  pieces: AsyncIterable<string>,
  messages: EditableMessages<Id>,
  alarms: Pick<Alarms, "wait">,
): Promise<void> {
  const growth = new Growth(pieces);
  let shown = await growth.after("");
  if (shown === undefined) return;
  const message = await messages.post(shown);
  for (;;) {
    await alarms.wait(pauseMs);
    const text = await growth.after(shown);
    if (text === undefined) return;
    shown = text;
    // What could not be shown now is in the next edit, unless there is none.
    await messages.edit(message, text).catch((error: unknown) => {
      if (growth.isWhole) throw error;
    });
  }
}

/** A text that grows while it is shown. */
class Growth {
  #text = "";
  #isWhole = false;
  #error: { readonly cause: unknown } | undefined;
  #grown: () => void = () => undefined;

  constructor(pieces: AsyncIterable<string>) {
    void this.#read(pieces);
  }

  get isWhole(): boolean {
    return this.#isWhole;
  }

  /** All of the text, as soon as there is more to read in it than in what is shown; undefined when there will not be. */
  async after(shown: string): Promise<string | undefined> {
    while (this.#text.trimEnd() === shown.trimEnd()) {
      if (this.#error !== undefined) throw this.#error.cause;
      if (this.#isWhole) return undefined;
      await new Promise<void>((resolve) => {
        this.#grown = resolve;
      });
    }
    return this.#text;
  }

  async #read(pieces: AsyncIterable<string>): Promise<void> {
    try {
      for await (const piece of pieces) {
        this.#text += piece;
        this.#grown();
      }
    } catch (cause) {
      this.#error = { cause };
    }
    this.#isWhole = true;
    this.#grown();
  }
}
