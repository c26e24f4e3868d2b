import { apply, emptyState, upcastState, type EventOf, type RunState } from "../kernel/index.ts";
import { upcastProgram, type Program, type StoredProgram } from "../program/index.ts";
import type { JournalRecord, RunRow, Store } from "../ports/index.ts";
import { decodeJournal, encodeSnapshot, readEvents, type KeptParts } from "../state/index.ts";
import type { RunLine } from "../views/index.ts";
import { noSuchRun } from "./codes.ts";

/** A run in memory: its program, its state at `head`, and a queue so that one input is decided at a time. */
export interface RunHandle {
  readonly id: string;
  readonly row: RunRow;
  readonly program: Program;
  state: RunState;
  head: number;
  /** Time of the newest record: none that follows it is earlier, whichever process decided it. */
  lastAt: number;
  /** Characters of journal since the last snapshot, and what that snapshot wrote. */
  tail: number;
  snapshot: number;
  /** Large values of the state that are in blobs already. */
  kept: KeptParts;
  /** How many changes of this process came one after another, with none of others between. */
  alone: number;
  /** Resolves at the next change seen by this process. */
  changed: Promise<void>;
  signal: () => void;
  queue: Promise<unknown>;
}

/** Who follows the changes of runs. */
export interface Following {
  /** Called after every change of a run that this process sees. Must return at once. */
  readonly onMoved?: (run: string) => void;
  /** Dialects whose runs it is called for; all of them without it. */
  readonly followed?: ReadonlySet<string>;
}

const recordsPerRead = 500;
const rowsPerRead = 200;
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const smallestTail = 256 * 1024;
/** After so many changes of its own a process takes a run for its own. */
const ownChanges = 2;

/** Throws when an answer in a record does not count; `state` is the one before it. */
type CheckEvent = (run: Pick<RunHandle, "program" | "state">, record: JournalRecord, event: EventOf<"decision_closed">) => Promise<void>;

interface CacheOptions extends Following {
  readonly prepare: (program: Program) => Promise<void>;
  readonly check: CheckEvent;
  readonly most?: number;
}

/** Keeps recently used runs in memory and brings them up to date with the store. */
export class RunCache {
  readonly #store: Store;
  readonly #handles = new Map<string, RunHandle>();
  readonly #programs = new Map<string, Program>();
  readonly #uuids = new Map<string, string>();
  readonly #prepare: (program: Program) => Promise<void>;
  readonly #check: CheckEvent;
  readonly #onMoved: (run: string) => void;
  readonly #followed: ReadonlySet<string> | undefined;
  readonly #most: number;
  #writing: Promise<unknown> = Promise.resolve();

  /** `prepare` makes ready what a program needs before a run of it is open. `check` throws for what others wrote and must not count. */
  constructor(store: Store, { prepare, check, onMoved = () => undefined, followed, most = 64 }: CacheOptions) {
    this.#store = store;
    this.#prepare = prepare;
    this.#check = check;
    this.#onMoved = onMoved;
    this.#followed = followed;
    this.#most = most;
  }

  /** The id of the run that has this uuid; any other text is given back as it is. */
  async idOf(named: string): Promise<string> {
    if (!uuid.test(named)) return named;
    const known = this.#uuids.get(named);
    if (known !== undefined) return known;
    for (let after: string | undefined; ;) {
      const rows = await this.#store.listRuns({ limit: rowsPerRead, ...(after === undefined ? {} : { after }) });
      const found = rows.find(({ line }) => line.includes(named) && (JSON.parse(line) as RunLine).workflow_id === named);
      if (found !== undefined) this.#uuids.set(named, found.id);
      if (found !== undefined || rows.length < rowsPerRead) return found?.id ?? named;
      after = rows.at(-1)?.id;
    }
  }

  /** The run at its newest head, by its id or its uuid. Rejects with ENGINE_NO_RUN. */
  async open(named: string): Promise<RunHandle> {
    const id = await this.idOf(named);
    const known = this.#handles.get(id);
    if (known !== undefined) {
      await this.refresh(known);
      return known;
    }
    const row = await this.row(id);
    const program = await this.program(row.program);
    const loaded = await this.#load(id, program);
    const raced = this.#handles.get(id);
    if (raced !== undefined) return raced;
    const handle = {
      id,
      row,
      program,
      ...loaded,
      alone: 0,
      changed: Promise.resolve(),
      signal: () => undefined,
      queue: Promise.resolve(),
    };
    arm(handle);
    this.#handles.set(id, handle);
    this.#tell(handle);
    for (const other of this.#handles.keys()) {
      if (this.#handles.size <= this.#most) break;
      if (other !== id) this.#handles.delete(other);
    }
    return handle;
  }

  /** The run as this process saw it last, where nobody else has changed it lately. The store is not asked. */
  known(id: string): RunHandle | undefined {
    const handle = this.#handles.get(id);
    return handle !== undefined && handle.alone >= ownChanges ? handle : undefined;
  }

  /** What the store says of a run without opening it. Rejects with ENGINE_NO_RUN. */
  async row(id: string): Promise<RunRow> {
    const row = await this.#store.readRun(id);
    if (row !== undefined) return row;
    const known = await this.#store.listRuns({ limit: 50 });
    throw noSuchRun(
      id,
      known.map((run) => run.id),
    );
  }

  async program(hash: string): Promise<Program> {
    const known = this.#programs.get(hash);
    if (known !== undefined) return known;
    const bytes = await this.#store.readBlob(hash);
    if (bytes === undefined) throw new Error(`The pinned program ${hash} is missing from the store.`);
    const program = upcastProgram(JSON.parse(new TextDecoder().decode(bytes)) as StoredProgram);
    await this.#prepare(program);
    this.#programs.set(hash, program);
    return program;
  }

  /** Applies what other processes committed since. */
  async refresh(handle: RunHandle): Promise<void> {
    const row = await this.#store.readRun(handle.id);
    if (row === undefined) {
      this.forget(handle.id);
      throw noSuchRun(handle.id, []);
    }
    if (row.head === handle.head) return;
    const from = { state: handle.state, position: handle.head, kept: handle.kept };
    const { state, position, read, at } = await this.#replay(handle.id, from, handle.program);
    handle.lastAt = Math.max(handle.lastAt, at);
    this.moved(handle, state, position, read);
    handle.alone = 0;
  }

  /** The handle's run has moved on, by this process or another. */
  moved(handle: RunHandle, state: RunState, head: number, written: number): void {
    if (head <= handle.head) return;
    handle.state = state;
    handle.head = head;
    handle.alone += 1;
    handle.tail += written;
    const wake = handle.signal;
    arm(handle);
    wake();
    this.#tell(handle);
    if (handle.tail > Math.max(smallestTail, handle.snapshot)) this.#snapshot(handle);
  }

  #tell({ id, program }: RunHandle): void {
    if (this.#followed?.has(program.dialect) !== false) this.#onMoved(id);
  }

  forget(id: string): void {
    this.#handles.delete(id);
  }

  /** Waits for snapshots being written. */
  async settle(): Promise<void> {
    await this.#writing;
  }

  /** Rebuilds the state from the first record on, without snapshots. */
  async rebuild(id: string): Promise<{ readonly state: RunState; readonly position: number }> {
    return this.#replay(id, { state: emptyState, position: 0, kept: new WeakMap() });
  }

  async #load(id: string, program: Program): Promise<Pick<RunHandle, "state" | "head" | "snapshot" | "tail" | "kept" | "lastAt">> {
    const stored = await this.#store.readSnapshot(id);
    const kept: KeptParts = new WeakMap();
    const start = stored === undefined ? emptyState : upcastState(await decodeJournal<RunState>(this.#store, stored.text, kept));
    const { state, position, read, at } = await this.#replay(id, { state: start, position: stored?.position ?? 0, kept }, program);
    const newest = read > 0 || position === 0 ? undefined : (await this.#store.readRecords(id, position - 1, 1)).at(-1);
    return { state, head: position, snapshot: stored?.text.length ?? 0, tail: read, kept, lastAt: newest?.at ?? at };
  }

  /** Applies the records after a position, answers checked where the program is given. */
  async #replay(
    run: string,
    from: Replayed & { readonly kept: KeptParts },
    program?: Program,
  ): Promise<Replayed & { readonly read: number; readonly at: number }> {
    let { state, position } = from;
    let [read, at] = [0, 0];
    for (;;) {
      const records = await this.#store.readRecords(run, position, recordsPerRead);
      for (const record of records) {
        for (const event of await readEvents(this.#store, record, from.kept)) {
          if (program !== undefined && event.type === "decision_closed") await this.#check({ program, state }, record, event);
          state = apply(state, event);
        }
        position = record.position;
        read += record.events.length;
        at = record.at;
      }
      if (records.length < recordsPerRead) return { state, position, read, at };
    }
  }

  /** Amortised: a snapshot is written when the tail outgrew the last one, so bytes per step stay bounded. */
  #snapshot(handle: RunHandle): void {
    const { id, state, head } = handle;
    handle.tail = 0;
    // No second one is begun while this one is being written.
    handle.snapshot = Number.POSITIVE_INFINITY;
    this.#writing = this.#writing
      .then(async () => {
        const { text, written } = await encodeSnapshot(this.#store, state, handle.kept);
        await this.#store.writeSnapshot(id, head, text);
        handle.snapshot = written;
      })
      .catch(() => {
        // Its blobs are referred to by nothing, so they may be gone when the next one is written.
        handle.kept = new WeakMap();
        handle.snapshot = 0;
      });
  }
}

function arm(handle: RunHandle): void {
  handle.changed = new Promise((resolve) => {
    handle.signal = resolve;
  });
}

interface Replayed {
  readonly state: RunState;
  readonly position: number;
}
