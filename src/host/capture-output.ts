import { randomUUID } from "node:crypto";
import { createWriteStream, mkdirSync, readdirSync, rmSync, statSync, type WriteStream } from "node:fs";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { finished } from "node:stream/promises";
import type { CapturedOutput } from "../ports/index.ts";
import { pathForOutput } from "./workspace-path.ts";

export interface CaptureOptions {
  readonly keepBytes: number;
  /** Folder for output that is larger. */
  readonly folder: string;
  readonly onProgress?: ((bytes: number) => void) | undefined;
  /** Called once when the file cannot be written; further output is thrown away. */
  readonly onFailure: (cause: unknown) => void;
}

const headBytes = 4096;

/** Takes a stream in: small output in memory, larger output in a file, so that memory never exceeds `keepBytes`. */
export class OutputCapture {
  readonly #options: CaptureOptions;
  readonly #stream: Readable;
  #chunks: Buffer[] = [];
  #head: Buffer = Buffer.alloc(0);
  #bytes = 0;
  #file: WriteStream | undefined;
  #failed = false;
  /** Time of the last sign of progress, on the clock of `performance.now`. */
  #progressAt: number = performance.now();

  constructor(stream: Readable, options: CaptureOptions) {
    this.#options = options;
    this.#stream = stream;
    stream.on("data", (chunk: Buffer) => this.#take(chunk));
    stream.on("error", () => undefined);
  }

  /** Milliseconds since a byte came or a waiting write went through; 0 while the disk is what we wait for. */
  quietMs(): number {
    return this.#file?.writableNeedDrain === true ? 0 : performance.now() - this.#progressAt;
  }

  /** To be called when no more output comes. */
  async finish(): Promise<CapturedOutput> {
    if (this.#file === undefined) return { text: Buffer.concat(this.#chunks).toString("utf8"), bytes: this.#bytes };
    this.#file.end();
    await finished(this.#file).catch((cause: unknown) => this.#fail(cause));
    return { text: decodeHead(this.#head), bytes: this.#bytes, file: pathForOutput(String(this.#file.path)) };
  }

  /** Removes the file of a capture that nobody will take over. */
  discard(): void {
    if (this.#file === undefined) return;
    this.#file.destroy();
    rmSync(String(this.#file.path), { force: true });
  }

  #take(chunk: Buffer): void {
    this.#bytes += chunk.length;
    this.#progressAt = performance.now();
    this.#options.onProgress?.(this.#bytes);
    if (this.#failed) return;
    if (this.#file !== undefined) return this.#write(chunk);
    this.#chunks.push(chunk);
    if (this.#bytes > this.#options.keepBytes) this.#write(this.#spill());
  }

  #write(bytes: Buffer): void {
    if (this.#file?.write(bytes) !== false) return;
    this.#stream.pause();
    this.#file.once("drain", () => {
      this.#progressAt = performance.now();
      this.#stream.resume();
    });
  }

  /** Opens the file; answers everything that came so far. */
  #spill(): Buffer {
    const all = Buffer.concat(this.#chunks);
    this.#chunks = [];
    this.#head = Buffer.from(all.subarray(0, headBytes));
    try {
      prepareFolder(this.#options.folder);
    } catch (cause) {
      this.#fail(cause);
      return all;
    }
    this.#file = createWriteStream(join(this.#options.folder, `${prefix}${randomUUID()}`), { flags: "wx", mode: 0o600 });
    this.#file.on("error", (cause) => this.#fail(cause));
    return all;
  }

  #fail(cause: unknown): void {
    if (this.#failed) return;
    this.#failed = true;
    this.#options.onFailure(cause);
    // A file that fails never drains; the stream must continue, or the command would hang on a full pipe.
    this.#stream.resume();
  }
}

/** Keeps the last part of a stream as text. */
export class OutputTail {
  readonly #most: number;
  #chunks: Buffer[] = [];
  #bytes = 0;
  #dropped = 0;

  /** Without a stream it keeps what it is given. */
  constructor(stream: Readable | undefined, most: number) {
    this.#most = most;
    stream?.on("data", (chunk: Buffer) => this.take(chunk));
    stream?.on("error", () => undefined);
  }

  /** How many bytes came before what it keeps. */
  get leftOut(): number {
    return this.#dropped + Math.max(0, this.#bytes - this.#most);
  }

  bytes(): Buffer {
    return Buffer.concat(this.#chunks);
  }

  text(): string {
    let start = Math.max(0, this.#bytes - this.#most);
    const all = this.bytes();
    if (this.leftOut > 0) while (start < all.length && (all[start]! & 0xc0) === 0x80) start++;
    return all.subarray(start).toString("utf8");
  }

  take(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    while (this.#bytes - this.#chunks[0]!.length >= this.#most) {
      const { length } = this.#chunks.shift()!;
      this.#bytes -= length;
      this.#dropped += length;
    }
  }
}

/** Keeps the first and the last part of a stream as text, with a line between them where something is left out. */
export class OutputEnds {
  readonly #first: Buffer[] = [];
  readonly #last: OutputTail;
  #room: number;

  /** `most` bytes of each of the two. */
  constructor(stream: Readable, most: number) {
    this.#room = most;
    this.#last = new OutputTail(undefined, most);
    stream.on("data", (chunk: Buffer) => this.#take(chunk));
    stream.on("error", () => undefined);
  }

  text(): string {
    const first = Buffer.concat(this.#first);
    const { leftOut } = this.#last;
    // A character may be cut where the two meet.
    if (leftOut === 0) return Buffer.concat([first, this.#last.bytes()]).toString("utf8");
    return `${decodeHead(first)}\n... (${leftOut} bytes left out)\n${this.#last.text()}`;
  }

  #take(chunk: Buffer): void {
    const first = chunk.subarray(0, this.#room);
    this.#room -= first.length;
    if (first.length > 0) this.#first.push(first);
    if (first.length < chunk.length) this.#last.take(chunk.subarray(first.length));
  }
}

/** Text of the first bytes of something longer: a character that was cut in two is left out. */
function decodeHead(bytes: Buffer): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes, { stream: true });
}

const prefix = "output-";
const dayMs = 24 * 60 * 60 * 1000;

/** Makes the folder and removes what a killed process left there long ago. */
function prepareFolder(folder: string): void {
  mkdirSync(folder, { recursive: true });
  for (const name of readdirSync(folder)) {
    if (!name.startsWith(prefix)) continue;
    const path = join(folder, name);
    const { mtimeMs } = statSync(path, { throwIfNoEntry: false }) ?? { mtimeMs: Date.now() };
    if (Date.now() - mtimeMs > dayMs) rmSync(path, { force: true });
  }
}
