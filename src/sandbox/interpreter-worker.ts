/**
 * The worker thread: interpreters, one for each space in use, and the calls made in them.
 *
 * Isolation is by rollback. An interpreter's whole world is its linear memory, so a copy taken before an author's code ran,
 * written back afterwards, undoes whatever the code did: changed values, replaced built-ins, new globals, pending promises.
 * Code may therefore sort and push into what it is given. The base image is under 300 KB and takes some microseconds.
 *
 * Node 20 cannot start a worker from TypeScript, and the published package is one bundled file. So the functions below are
 * given to the worker as their own text (`workerSource`), which is plain JavaScript after any transpiler or bundler. Each
 * may refer only to the others listed there, to its arguments and to globals of Node: never to an import or a constant, and
 * with no function inside it that takes its name from a variable or a colon, since bundlers that keep names wrap those.
 */
import type { JSValueHandle, QuickJS, QuickJSOptions } from "quickjs-wasi";
import type { MessagePort } from "node:worker_threads";
import type { CallMessage, KeptChanges, Layout, WorkerSetup } from "./protocol.ts";

/** What the worker uses of the engine beside its documented interface. */
interface EngineExports {
  readonly wasm_malloc: (bytes: number) => number;
  readonly wasm_free: (pointer: number) => void;
  readonly qjs_set_memory_limit: (bytes: number) => void;
  readonly __stack_pointer: { readonly value: number };
}
interface Interpreter {
  vm: QuickJS;
  memory: { readonly buffer: ArrayBuffer };
  exports: EngineExports;
  guest: Readonly<Record<"run" | "keepJson" | "keepText" | "drop" | "compile", JSValueHandle>>;
  /** How often a piece of code was run, or, once it is compiled for good, its number as -1, -2 and so on. */
  readonly known: Map<string, number>;
  compiled: number;
  /** Time of the worker's clock at which running code is interrupted. */
  deadline: number;
  /** The bytes to write back: from `low` (the end of the empty stack) to `high` (the end of the used heap). */
  image: Uint8Array;
  low: number;
  high: number;
  /** `high` before any value was kept. */
  base: number;
  /** Size of the memory when the image was taken; a call that makes it larger costs the interpreter its life. */
  size: number;
}
interface Room {
  readonly engine: { readonly create: (options: QuickJSOptions) => Promise<QuickJS> };
  readonly setup: WorkerSetup;
  /** JSON text of small kept values. */
  readonly texts: Map<number, string>;
  /** Interpreters without kept values by space, least recently used first, and those with kept values. */
  readonly plain: Map<string, Interpreter>;
  readonly rooted: Map<string, Interpreter>;
  readonly line: Line;
}

/** The worker's end of the exchange; see `layout`. */
interface Line {
  readonly port: MessagePort;
  readonly take: (port: MessagePort) => { readonly message: unknown } | undefined;
  readonly at: Layout;
  readonly words: Int32Array;
  readonly ms: Float64Array;
  readonly bytes: Buffer;
  /** The host looked for the last answer: it runs, on another core, and may have the next call soon. */
  watched: boolean;
}

export function workerSource(): string {
  const functions = [serve, isAsked, rest, reply, answer, openInterpreter, takeImage, rollBack, keepValues, tell, call];
  return `${[...functions, compile, failure].map(String).join("\n")}
const { parentPort, receiveMessageOnPort, workerData } = require("node:worker_threads");
import(workerData.engine).then(({ QuickJS }) => (${String(startWorker)})(QuickJS, parentPort, receiveMessageOnPort, workerData));`;
}

function startWorker(engine: Room["engine"], port: MessagePort, take: Line["take"], setup: WorkerSetup): Promise<void> {
  const { shared, layout: at } = setup;
  const words = new Int32Array(shared);
  const line: Line = { port, take, at, words, ms: new Float64Array(shared, at.ms, 1), bytes: Buffer.from(shared), watched: false };
  const room: Room = { engine, setup, line, texts: new Map(), plain: new Map(), rooted: new Map() };
  // Nothing else keeps the thread alive while an interpreter is being opened.
  port.ref();
  port.postMessage("ready");
  return serve(room);
}

/** Answers call after call. The thread sleeps outside of its event loop, which gets a turn now and then for its own work. */
async function serve(room: Room): Promise<void> {
  for (let calls = 1; ; calls++) {
    rest(room);
    const { words, bytes, at, take, port } = room.line;
    const length = words[at.questionBytes]!;
    const text = length < 0 ? undefined : bytes.toString("utf8", at.text, at.text + length);
    const message = (text === undefined ? take(port)!.message : JSON.parse(text)) as CallMessage;
    const [space, , , , rooted, , , changes] = message;
    for (const closed of changes?.close ?? []) room.rooted.delete(closed);
    for (const id of changes?.dropTexts ?? []) room.texts.delete(id);
    for (const value of changes?.keep ?? []) if (value.as === "text") room.texts.set(value.id, value.body);
    const held = (rooted ? room.rooted : room.plain).get(space) ?? (await openInterpreter(room).catch(failure));
    if (typeof held === "string") reply(room.line, held, 0, true);
    else answer(room, message, held);
    if (calls % 256 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
}

function isAsked({ words, at }: Line): boolean {
  const standing = Atomics.load(words, at.call);
  return standing === at.asked || standing === at.awaited;
}

/**
 * Waits for the next call. The host looks at `awake` after it has asked, and this thread looks for a call after it has cleared
 * `awake`: one of them sees the other.
 */
function rest({ line, setup }: Room): void {
  const { words, at } = line;
  let lingerMs = line.watched ? setup.lingerMs.answered : 0;
  while (!isAsked(line)) {
    const bell = Atomics.load(words, at.bell);
    const end = performance.now() + lingerMs;
    while (!isAsked(line) && performance.now() < end);
    Atomics.store(words, at.awake, 0);
    if (!isAsked(line)) Atomics.wait(words, at.bell, bell);
    Atomics.store(words, at.awake, 1);
    lingerMs = setup.lingerMs.woken;
  }
}

function reply(line: Line, outcome: string, took: number, lost: boolean): void {
  const { words, ms, bytes, at, port } = line;
  const short = outcome.length * 3 <= bytes.length - at.text;
  if (short) {
    words[at.answerBytes] = bytes.write(outcome, at.text);
    words[at.lost] = lost ? 1 : 0;
    ms[0] = took;
  }
  const before = Atomics.exchange(words, at.call, short ? at.answered : at.mailed);
  line.watched = before === at.asked;
  if (!short) port.postMessage([outcome, took, lost]);
  else if (before === at.awaited) port.postMessage("answered");
}

/** Replies first and cleans up afterwards: the host need not wait for the rollback. */
function answer(room: Room, message: CallMessage, held: Interpreter): void {
  const started = performance.now();
  const [space, , , , rooted, timeMs, , changes] = message;
  const interpreters = rooted ? room.rooted : room.plain;
  let outcome: string;
  let loaded = false;
  try {
    if (changes && rooted) keepValues(room, held, changes);
    loaded = true;
    held.deadline = performance.now() + timeMs;
    outcome = call(held, message, room.texts);
  } catch (error) {
    outcome = failure(error, performance.now() > held.deadline);
  }
  held.deadline = Number.POSITIVE_INFINITY;
  const broken = !loaded || outcome.startsWith("M") || outcome.startsWith("X");
  const lost = broken || held.memory.buffer.byteLength > held.size || held.high - held.base > room.setup.memoryBytes;
  reply(room.line, outcome, performance.now() - started, lost && rooted);
  interpreters.delete(space);
  if (lost) return;
  rollBack(held);
  if (outcome.startsWith("V")) compile(held, message);
  interpreters.set(space, held);
  if (room.plain.size > room.setup.spaces) for (const oldest of room.plain.keys()) return void room.plain.delete(oldest);
}

async function openInterpreter(room: Room): Promise<Interpreter> {
  const made = { deadline: Number.POSITIVE_INFINITY, known: new Map(), compiled: 0, image: new Uint8Array(0) } as unknown as Interpreter;
  made.vm = await room.engine.create({
    wasm: room.setup.wasm,
    memoryLimit: room.setup.memoryBytes,
    maxStackSize: 256 * 1024,
    timezoneOffset: 0,
    // Everything but `performance`.
    intrinsics: 0xffffffff & ~(1 << 10),
    interruptHandler() {
      return performance.now() > made.deadline;
    },
    wasi(memory) {
      made.memory = memory as { readonly buffer: ArrayBuffer };
      return {
        // A fixed clock also seeds Math.random: both give the same in every call.
        clock_time_get(_clock: number, _precision: bigint, at: number) {
          new DataView(memory.buffer).setBigUint64(at, 1_700_000_000_000_000_000n, true);
          return 0;
        },
        random_get(at: number, length: number) {
          new Uint8Array(memory.buffer, at, length).fill(7);
          return 0;
        },
        fd_write() {
          return 8;
        },
      };
    },
  });
  made.exports = (made.vm as unknown as { _getExports(): EngineExports })._getExports();
  const guest = made.vm.evalCode(room.setup.guest, "waymark");
  const [run, keepJson, keepText, drop, compile] = ["run", "keepJson", "keepText", "drop", "compile"].map((name) => guest.getProp(name));
  made.guest = { run, keepJson, keepText, drop, compile } as Interpreter["guest"];
  guest.dispose();
  // A cached handle made later would point into memory that a rollback has undone.
  void made.vm.undefined;
  takeImage(made, 8 << 20);
  made.base = made.high;
  return made;
}

/**
 * Remembers the memory as it is now, with `room` bytes of free memory at its end, so that ordinary calls need not enlarge it.
 * The allocator hands out that block from its last, open-ended chunk; where the block begins, the used heap ends. Whether
 * it really was the last chunk is read from the chunk's header; if not, all of the memory is copied, which is always right.
 */
function takeImage(held: Interpreter, room: number): void {
  const { exports, memory } = held;
  held.vm.gcThreshold = memory.buffer.byteLength + room;
  const blocks: number[] = [];
  let high = 0;
  while (high === 0 && blocks.length < 8) {
    const block = exports.wasm_malloc(room);
    if (block === 0) throw new Error("out of memory");
    blocks.push(block);
    const view = new DataView(memory.buffer);
    const next = block - 8 + (view.getUint32(block - 4, true) & ~7);
    const end = next + 8 <= view.byteLength ? next + (view.getUint32(next + 4, true) & ~7) : 0;
    if (end <= view.byteLength && view.byteLength - end <= 64) high = block + 16;
  }
  for (const block of blocks) exports.wasm_free(block);
  held.low = exports.__stack_pointer.value;
  held.size = memory.buffer.byteLength;
  held.high = high === 0 ? held.size : high;
  const length = held.high - held.low;
  if (held.image.length < length) held.image = new Uint8Array(length + (length >> 2));
  held.image.set(new Uint8Array(memory.buffer, held.low, length));
}

function rollBack(held: Interpreter): void {
  new Uint8Array(held.memory.buffer).set(held.image.subarray(0, held.high - held.low), held.low);
}

/** Takes values over while the interpreter is as the last rollback left it, and remembers the result. */
function keepValues(room: Room, held: Interpreter, changes: KeptChanges): void {
  const values = changes.keep.filter((value) => value.as !== "text");
  if (values.length + changes.drop.length === 0) return;
  for (const id of changes.drop) tell(held, "drop", id);
  held.exports.qjs_set_memory_limit(held.high + room.setup.memoryBytes);
  for (const { as, id, body } of values) tell(held, as === "json" ? "keepJson" : "keepText", id, body);
  takeImage(held, Math.max(32 << 20, held.high));
}

/** Calls a function of the guest whose effects stay, and leaves no handles behind. */
function tell({ vm, guest }: Interpreter, name: keyof Interpreter["guest"], ...given: readonly (string | number)[]): void {
  const handles = given.map((value) => (typeof value === "number" ? vm.newNumber(value) : vm.newString(value)));
  vm.callFunction(guest[name], vm.undefined, ...handles).dispose();
  for (const handle of handles.reverse()) handle.dispose();
}

/** Leaves the handles of the call to the rollback, which frees everything at once. */
function call(held: Interpreter, message: CallMessage, texts: Map<number, string>): string {
  const { vm } = held;
  const [, code, names, values, , , memoryBytes] = message;
  const places: string[] = [];
  const inPlace = (typeof values === "string" ? [] : values).map((value, index) => {
    const text = typeof value === "string" ? value : texts.get(value);
    if (text === undefined) places.push(`[${index},${value}]`);
    return text ?? "0";
  });
  const list = vm.newString(typeof values === "string" ? values : `[${inPlace.join(",")}]`);
  held.exports.qjs_set_memory_limit(held.high + memoryBytes);
  const where = places.length === 0 ? vm.undefined : vm.newString(`[${places.join(",")}]`);
  const ready = held.known.get(`${names}\n${code}`) ?? 0;
  const body = ready < 0 ? vm.newNumber(-1 - ready) : vm.newString(code);
  return vm.callFunction(held.guest.run, vm.undefined, body, ready < 0 ? vm.undefined : vm.newString(names), list, where).toString();
}

/** Code that comes again, such as the condition of a loop, stays compiled: a part of the image. */
function compile(held: Interpreter, [, code, names]: CallMessage): void {
  const key = `${names}\n${code}`;
  const uses = held.known.get(key) ?? 0;
  if (uses < 0 || held.known.size >= 500 || held.high - held.low > 1 << 20) return;
  held.known.set(key, uses + 1);
  if (uses < 2) return;
  try {
    tell(held, "compile", code, names);
    takeImage(held, 8 << 20);
    held.compiled++;
    held.known.set(key, -held.compiled);
  } catch {
    // No room for it: the image is as before, and each call compiles the code again.
    rollBack(held);
  }
}

/** What came past the guest's own handlers: an interruption, exhaustion, or a trap of the engine. */
function failure(error: unknown, late = false): string {
  if (late) return "L";
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return /memory/i.test(text) ? "M" : `X${text}`;
}
