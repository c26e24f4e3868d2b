import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";

/** One holding of a strand with an open step, as the journal has it. Times are the database's. */
export interface Claim {
  readonly run: string;
  readonly strand: string;
  /** The process that took it. */
  readonly process: string;
  readonly from: number;
  /** The step that was open in it, the last one; none in a strand that only waits for others. */
  step?: string;
  /** When its step was closed, or another one took the strand; none while it is open. */
  until?: number;
  /** Who took it after this one, without its step having been reported. */
  takenBy?: { readonly process: string; readonly at: number };
}

export interface ReadJournals {
  readonly runs: readonly { readonly id: string; readonly status: string }[];
  readonly claims: readonly Claim[];
  /** How often each step of each run was reported with success and counted, by `<run>/<step>`. */
  readonly reports: ReadonlyMap<string, number>;
  /** Reports that counted though their process did not hold the strand any more. */
  readonly strays: readonly string[];
}

interface Row {
  readonly id: string;
  readonly status: string;
  readonly at: number;
  readonly actor: string;
  readonly events: string;
}

interface OpenedAction {
  readonly id: string;
  readonly strand: string;
  readonly step: string;
}

interface SeenEvent {
  readonly type: string;
  readonly strand?: string;
  readonly holder?: { readonly session: string };
  readonly action?: string | OpenedAction;
  readonly how?: string;
}

/** `p123-abc.place.start-d1` is a driver of the process `p123-abc.place.start`. */
const processOf = (session: string): string => session.replace(/-d\d+$/, "");

/** What is in the database now; one that is not there at the moment is waited for. */
export async function readJournals(url: string): Promise<ReadJournals> {
  for (const latest = Date.now() + 60_000; ;) {
    try {
      return await readNow(url);
    } catch (error) {
      if (Date.now() > latest) throw error;
      await sleep(200);
    }
  }
}

async function readNow(url: string): Promise<ReadJournals> {
  const client = new pg.Client({ connectionString: url });
  // The database may end while it is asked.
  client.on("error", () => undefined);
  await client.connect();
  try {
    const sql = `select r.id, r.status, j.at, j.actor, j.events from waymark_store.run r join waymark_store.record j on j.run = r.no
      order by r.no, j.position`;
    return gather((await client.query<Row>(sql)).rows);
  } finally {
    await client.end();
  }
}

function gather(rows: readonly Row[]): ReadJournals {
  const reading = new JournalReading();
  for (const row of rows) reading.take(row);
  return reading;
}

/** Goes through the records of all runs, in their order. */
class JournalReading implements ReadJournals {
  readonly claims: Claim[] = [];
  readonly reports = new Map<string, number>();
  readonly strays: string[] = [];
  readonly #statuses = new Map<string, string>();
  /** By strand: its last claim, and its open step. */
  readonly #holders = new Map<string, Claim>();
  readonly #open = new Map<string, OpenedAction>();
  readonly #actions = new Map<string, OpenedAction>();

  get runs(): ReadJournals["runs"] {
    return [...this.#statuses].map(([id, status]) => ({ id, status }));
  }

  take({ id: run, status, at, actor, events }: Row): void {
    this.#statuses.set(run, status);
    const by = processOf((JSON.parse(actor) as { session: string }).session);
    for (const { type, strand = "", holder, action, how } of JSON.parse(events) as SeenEvent[]) {
      if (type === "action_opened" && typeof action === "object") this.#opened(run, action);
      if (type === "claimed") this.#claimed({ run, strand, process: processOf(holder?.session ?? ""), from: at });
      if (type === "action_closed" && typeof action === "string") this.#closed(run, action, how === "reported" ? { at, by } : undefined);
    }
  }

  #opened(run: string, action: OpenedAction): void {
    const strand = `${run}/${action.strand}`;
    this.#actions.set(`${run}/${action.id}`, action);
    this.#open.set(strand, action);
    const holding = this.#holders.get(strand);
    if (holding !== undefined) holding.step = action.step;
  }

  #claimed(taken: Claim): void {
    const strand = `${taken.run}/${taken.strand}`;
    const before = this.#holders.get(strand);
    if (before !== undefined && before.until === undefined) {
      before.until = taken.from;
      if (before.process !== taken.process) before.takenBy = { process: taken.process, at: taken.from };
    }
    const open = this.#open.get(strand);
    const claim = { ...taken, ...(open === undefined ? {} : { step: open.step }) };
    this.claims.push(claim);
    this.#holders.set(strand, claim);
  }

  #closed(run: string, id: string, reported: { readonly at: number; readonly by: string } | undefined): void {
    const { strand: of = "", step = "" } = this.#actions.get(`${run}/${id}`) ?? {};
    const strand = `${run}/${of}`;
    if (this.#open.get(strand)?.id === id) this.#open.delete(strand);
    if (reported === undefined) return;
    const { at, by } = reported;
    const holding = this.#holders.get(strand);
    this.reports.set(`${run}/${step}`, (this.reports.get(`${run}/${step}`) ?? 0) + 1);
    if (holding?.process !== by) this.strays.push(`${run}/${step}: reported by ${by}, held by ${holding?.process ?? "nobody"}`);
    if (holding !== undefined) holding.until ??= at;
  }
}
