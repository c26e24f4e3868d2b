import type { Alarms } from "../ports/index.ts";

/** Alarms of this computer's own clock. */
export const systemAlarms: Alarms = {
  // Without the promises of `node:timers`: every wait that is cut short would make an error with its stack, and nearly all are.
  wait: (ms, signal) =>
    new Promise((done) => {
      if (signal?.aborted === true) return done();
      const over = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", over);
        done();
      };
      const timer = setTimeout(over, ms);
      signal?.addEventListener("abort", over);
    }),
  after: (ms, ring) => {
    const timer = setTimeout(ring, ms).unref();
    return () => clearTimeout(timer);
  },
  every: (ms, ring) => {
    const timer = setInterval(ring, ms).unref();
    return () => clearInterval(timer);
  },
};
