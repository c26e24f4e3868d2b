import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";

/** One holding of a strand with an open step, as the journal has it. Times are the database's. */
export interface Claim {
  readonly run: string;
  readonly strand: string;
  /** The process that took it. */
  readonly process: string;
  readonly from: number;
  /** A step was open in it: a strand that only waits for others is held without one. */
  hasStep: boolean;
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

interface SeenEvent {
  readonly type: string;
  readonly strand?: string;
  readonly holder?: { readonly session: string };
  readonly action?: string | { readonly id: string; readonly strand: string; readonly step: string };
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
  const runs = new Map<string, string>();
  const claims: Claim[] = [];
  const reports = new Map<string, number>();
  const strays: string[] = [];
  const holders = new Map<string, Claim>();
  const actions = new Map<string, { readonly strand: string; readonly step: string }>();
  const open = new Map<string, string>();
  for (const { id, status, at, actor, events } of rows) {
    runs.set(id, status);
    const by = processOf((JSON.parse(actor) as { session: string }).session);
    for (const { type, strand = "", holder, action, how } of JSON.parse(events) as SeenEvent[]) {
      if (type === "action_opened" && typeof action === "object") {
        actions.set(`${id}/${action.id}`, action);
        open.set(`${id}/${action.strand}`, action.id);
        const holding = holders.get(`${id}/${action.strand}`);
        if (holding !== undefined) holding.hasStep = true;
      }
      if (type === "claimed") {
        const key = `${id}/${strand}`;
        const taker = processOf(holder?.session ?? "");
        const before = holders.get(key);
        if (before !== undefined && before.until === undefined) {
          before.until = at;
          if (before.process !== taker) before.takenBy = { process: taker, at };
        }
        const claim: Claim = { run: id, strand, process: taker, from: at, hasStep: open.has(key) };
        claims.push(claim);
        holders.set(key, claim);
      }
      if (type !== "action_closed" || typeof action !== "string") continue;
      const { strand: of = "", step = "" } = actions.get(`${id}/${action}`) ?? {};
      if (open.get(`${id}/${of}`) === action) open.delete(`${id}/${of}`);
      if (how !== "reported") continue;
      const holding = holders.get(`${id}/${of}`);
      reports.set(`${id}/${step}`, (reports.get(`${id}/${step}`) ?? 0) + 1);
      if (holding?.process !== by) strays.push(`${id}/${step}: reported by ${by}, held by ${holding?.process ?? "nobody"}`);
      if (holding !== undefined) holding.until ??= at;
    }
  }
  return { runs: [...runs].map(([id, status]) => ({ id, status })), claims, reports, strays };
}
