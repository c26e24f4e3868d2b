import type { CallMessage, CallReply } from "./protocol.ts";

/**
 * Where things are in the memory that host and worker share, as numbers of 32-bit words; `ms` and `text` are bytes.
 * The worker is handed this as data, since its functions cannot refer to constants.
 */
export const layout = {
  /** Counts rings. The worker sleeps until it changes. */
  bell: 0,
  /** 1 while the worker looks for a call by itself and need not be rung for. */
  awake: 1,
  /** How far the call is: one of the next four. */
  call: 2,
  asked: 1,
  /** Asked, and the host sleeps: its answer must come with a message. */
  awaited: 2,
  answered: 3,
  /** Answered by a message that holds the whole answer. */
  mailed: 4,
  /** Bytes of the question in `text`, or -1: it is in a message. */
  questionBytes: 3,
  /** Bytes of the answer in `text`. */
  answerBytes: 4,
  /** 1: the interpreter of the space was thrown away. */
  lost: 5,
  ms: 32,
  text: 64,
} as const;

const size = 1 << 16;
/** How long this thread looks for an answer of a worker that is awake: a small call takes a fraction of it. */
const patienceMs = 0.2;
/** Answers taken without a turn of the event loop. */
const mostInARow = 32;
/** Preparing may be in vain this often in a row; from then on 2, 4, 8 and at most 256 calls are not prepared for each time. */
const fewMisses = 3;
const mostMisses = fewMisses + 8;

/**
 * One call at a time between host and worker, through memory: with messages alone both threads fall asleep over a call, and
 * waking them takes longer than a small call itself. A thread that waits for the other looks for a moment, then sleeps and is woken:
 * the worker by the bell, the host by a message. The host never looks for the answer of a worker that sleeps: how long that
 * one takes to wake up is up to the machine, and on a busy one it may need the very core that looks.
 */
export class Exchange {
  readonly shared: SharedArrayBuffer = new SharedArrayBuffer(size);
  readonly #words = new Int32Array(this.shared);
  readonly #ms = new Float64Array(this.shared, layout.ms, 1);
  readonly #bytes = Buffer.from(this.shared);
  #looks = false;
  #inARow = 0;
  /** The worker was woken for a call that has not come yet. */
  #prepared = false;
  #misses = 0;
  #skip = 0;

  /**
   * A call is likely to come soon: wakes the worker, so that it is awake by then. On a busy machine it is not, or takes the
   * core of this thread meanwhile; then this is done less and less often.
   */
  prepare(): void {
    if (this.#prepared) this.#learn(false);
    if (this.#skip > 0) this.#skip--;
    else this.#prepared = this.#wake();
  }

  /** `post` sends a message that is too long for the exchange. */
  ask(message: CallMessage, post: (message: CallMessage) => void): void {
    const text = shortText(message);
    if (text === undefined) post(message);
    this.#words[layout.questionBytes] = text === undefined ? -1 : this.#bytes.write(text, layout.text);
    Atomics.store(this.#words, layout.call, layout.asked);
    this.#looks = !this.#wake();
  }

  /** The answer, if it comes at once; undefined: it comes with a message. `hurry`: others wait, and there is no time to look. */
  pollAnswer(hurry: boolean): CallReply | undefined {
    const words = this.#words;
    const end = this.#looks && !hurry && this.#inARow < mostInARow ? performance.now() + patienceMs : 0;
    while (Atomics.load(words, layout.call) === layout.asked && performance.now() < end);
    const found = Atomics.compareExchange(words, layout.call, layout.asked, layout.awaited);
    this.#inARow = found === layout.answered ? this.#inARow + 1 : 0;
    if (this.#prepared) this.#learn(found === layout.answered);
    return found === layout.answered ? this.read() : undefined;
  }

  read(): CallReply {
    const words = this.#words;
    const outcome = this.#bytes.toString("utf8", layout.text, layout.text + (words[layout.answerBytes] ?? 0));
    return [outcome, this.#ms[0] ?? 0, words[layout.lost] === 1];
  }

  /** Whether the worker had to be woken. */
  #wake(): boolean {
    if (Atomics.load(this.#words, layout.awake) === 1) return false;
    Atomics.add(this.#words, layout.bell, 1);
    Atomics.notify(this.#words, layout.bell);
    return true;
  }

  #learn(helped: boolean): void {
    this.#prepared = false;
    this.#misses = helped ? 0 : Math.min(this.#misses + 1, mostMisses);
    this.#skip = this.#misses <= fewMisses ? 0 : 2 ** (this.#misses - fewMisses);
  }
}

/** As text that surely has room: UTF-8 takes up to three bytes for a character. undefined: there is too much of it. */
function shortText(message: CallMessage): string | undefined {
  const [, code, , values, , , , changes] = message;
  const parts = typeof values === "string" ? values.length : values.reduce<number>((sum, value) => sum + String(value).length, 0);
  if (changes !== undefined || (code.length + parts) * 3 > size) return undefined;
  const text = JSON.stringify(message);
  return text.length * 3 > size - layout.text ? undefined : text;
}
