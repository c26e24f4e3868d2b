import { defined } from "../base/index.ts";
import type { EngineContext } from "../engine/index.ts";
import { liveBlock, liveChanges, type LiveFacts } from "../views/index.ts";
import { columnsOf, fitColumns } from "./fit-columns.ts";
import type { Output } from "./output.ts";
import type { CliWorld } from "./world.ts";

/** Size of the terminal now; it may change at any time. */
interface Terminal {
  readonly columns?: number;
  readonly rows?: number;
}

interface LiveParts {
  readonly out: Output;
  /** undefined: plain lines, and nothing that moves the cursor. */
  readonly terminal: Terminal | undefined;
  readonly alarms: Pick<EngineContext["host"]["alarms"], "after">;
  readonly now: () => number;
}

const frameMs = 100;
const tickMs = 1000;

/**
 * What is seen of a run while it works. On a terminal, lines scroll by and a block below them is drawn again, at most ten times a second;
 * its times move by themselves. Between frames the cursor is always at the beginning of the line behind the block, visible, so a
 * process that ends at any moment leaves the terminal as it should be. Elsewhere only changes are printed; with `--json` or `--jsonl` an entry each.
 */
export class LiveWriter {
  readonly #parts: LiveParts;
  #facts: LiveFacts | undefined;
  /** Lines that the next frame prints above the block. */
  #lines: string[] = [];
  /** What is on the terminal below the last line; elsewhere what was printed last. */
  #shown: readonly string[] = [];
  #drawnAt = -Infinity;
  #alarm: () => void = () => undefined;

  constructor(parts: LiveParts) {
    this.#parts = parts;
  }

  /** Something that is over, to stay on the screen. */
  line(text: string): void {
    const { out, terminal } = this.#parts;
    if (out.json) return out.entry({ type: "line", text });
    if (terminal === undefined) return out.line(text);
    this.#lines.push(text);
    this.#drawSoon();
  }

  block(given: LiveFacts): void {
    const { out, terminal } = this.#parts;
    const questions = given.questions.map((each) => ({ ...each, command: out.placed(each.command) }));
    const facts = { ...given, standing: out.placed(given.standing), questions };
    this.#facts = facts;
    if (terminal !== undefined && !out.json) return this.#drawSoon();
    const data = liveData(facts);
    const now = out.json ? [JSON.stringify(data)] : liveChanges(facts).map((line) => out.plain(line.replaceAll(/\s+/g, " ")));
    for (const change of now.filter((line) => !this.#shown.includes(line))) {
      if (out.json) out.entry(data);
      else out.raw(`${change}\n`);
    }
    this.#shown = now;
  }

  /** Prints what is left and takes the block away. */
  close(): void {
    this.#alarm();
    this.#facts = undefined;
    if (this.#parts.terminal !== undefined && !this.#parts.out.json) this.#draw();
  }

  #drawSoon(): void {
    const { alarms, now } = this.#parts;
    const wait = this.#drawnAt + frameMs - now();
    this.#alarm();
    if (wait <= 0) this.#draw();
    else this.#alarm = alarms.after(wait, () => this.#draw());
  }

  #draw(): void {
    const { out, terminal, alarms, now } = this.#parts;
    const columns = terminal?.columns || 80;
    const most = Math.max(1, (terminal?.rows || 24) - 1);
    const facts = this.#facts;
    // The last column stays empty: some terminals begin a new line behind it.
    const block =
      facts === undefined
        ? []
        : liveBlock(facts, now(), { rows: most, columns: columns - 1 }).map((line) => fitColumns(out.plain(line), columns - 1));
    // A terminal that became narrower has broken the lines that were there.
    const rows = this.#shown.reduce((sum, line) => sum + Math.max(1, Math.ceil(columnsOf(line) / columns)), 0);
    const back = rows === 0 ? "" : `\r\u001b[${rows}A\u001b[J`;
    const text = [...this.#lines.map((line) => out.plain(line)), ...block].map((line) => `${line}\n`).join("");
    if (this.#lines.length > 0 || block.join("\n") !== this.#shown.join("\n")) out.raw(`${back}${text}`);
    this.#lines = [];
    this.#shown = block;
    this.#drawnAt = now();
    if (facts !== undefined) this.#alarm = alarms.after(tickMs, () => this.#draw());
  }
}

/** The writer of a command: draws only where stdout is a terminal that can do it. */
export function createLiveWriter(
  { world, out }: { readonly world: Pick<CliWorld, "stdout" | "env">; readonly out: Output },
  alarms: LiveParts["alarms"],
): LiveWriter {
  const stdout = world.stdout as Terminal & { readonly isTTY?: boolean };
  const canDraw = stdout.isTTY === true && world.env["TERM"] !== "dumb";
  return new LiveWriter({ out, terminal: canDraw ? stdout : undefined, alarms, now: () => Date.now() });
}

/** For scripts. */
function liveData({ run, standing, used, agents, startedAt, ...facts }: LiveFacts): object {
  return {
    type: "block",
    run_id: run,
    ...facts,
    at: standing,
    agents: agents.map(({ since, ...agent }) => ({ ...defined(agent), since: new Date(since).toISOString() })),
    ...defined({ tokens: used.tokens, cost_usd: used.costUsd }),
    started_at: new Date(startedAt).toISOString(),
  };
}
