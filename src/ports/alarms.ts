/**
 * Time that passes. The store says what time it is; this waits. Nothing here keeps a process alive on its own, so what must not be cut
 * short is awaited.
 */
export interface Alarms {
  /** Resolves after so many milliseconds, or as soon as the signal aborts. Keeps the process alive while it is awaited. */
  wait(ms: number, signal?: AbortSignal): Promise<void>;
  /** Rings once after so many milliseconds; the answer turns it off. */
  after(ms: number, ring: () => void): () => void;
  /** Rings every so many milliseconds; the answer turns it off. */
  every(ms: number, ring: () => void): () => void;
}
