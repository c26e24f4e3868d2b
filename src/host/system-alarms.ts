import { setTimeout as delay } from "node:timers/promises";
import type { Alarms } from "../ports/index.ts";

/** Alarms of this computer's own clock. */
export const systemAlarms: Alarms = {
  wait: (ms, signal) => delay(ms, undefined, signal === undefined ? {} : { signal }).catch(() => undefined),
  after: (ms, ring) => {
    const timer = setTimeout(ring, ms).unref();
    return () => clearTimeout(timer);
  },
  every: (ms, ring) => {
    const timer = setInterval(ring, ms).unref();
    return () => clearInterval(timer);
  },
};
