import { counted, grouped } from "../base/index.ts";
import { fitColumns } from "./fit-columns.ts";
import type { Session } from "./session.ts";

/** How often the line is drawn again, in milliseconds. */
const drawnEach = 100;
/** A pace that was measured for less than this says nothing. */
const surePace = 500;

/** One line on a terminal that says how far something is; elsewhere, with `--json` and with `--quiet` nothing is written. */
export class ProgressLine {
  readonly #stderr: Session["world"]["stderr"] & { readonly isTTY?: boolean; readonly columns?: number };
  readonly isShown: boolean;
  readonly #now: () => number;
  readonly #begun: number;
  #drawnAt = -Infinity;
  #isDrawn = false;

  constructor(
    { world, out }: { readonly world: Pick<Session["world"], "stderr" | "env">; readonly out: Pick<Session["out"], "json" | "quiet"> },
    now: () => number,
  ) {
    this.#stderr = world.stderr;
    this.isShown = this.#stderr.isTTY === true && world.env["TERM"] !== "dumb" && !out.json && !out.quiet;
    this.#now = now;
    this.#begun = now();
  }

  show(done: number, total: number): void {
    const now = this.#now();
    if (!this.isShown || total === 0 || now - this.#drawnAt < drawnEach) return;
    this.#drawnAt = now;
    this.#isDrawn = true;
    const text = fitColumns(paceText({ done, total, ms: now - this.#begun }), (this.#stderr.columns ?? 80) - 1);
    this.#stderr.write(`\r\u001b[K${text}`);
  }

  /** Takes the line away, so that something else can be written. It is drawn again by the next `show`. */
  clear(): void {
    if (this.#isDrawn) this.#stderr.write("\r\u001b[K");
    this.#isDrawn = false;
  }
}

/** `1,250 of 12,300 files, 830 files/s, 13 s left`. */
export function paceText({ done, total, ms }: { readonly done: number; readonly total: number; readonly ms: number }): string {
  const head = `${grouped(done)} of ${counted(total, "file")}`;
  if (done === 0 || ms < surePace) return head;
  const rate = (done * 1000) / ms;
  const left = Math.ceil((total - done) / rate);
  const time = left < 90 ? `${left} s` : `${Math.round(left / 60)} min`;
  return `${head}, ${rate < 10 ? rate.toFixed(1) : grouped(Math.round(rate))} files/s, ${time} left`;
}
