// Loaded into a process before anything else (`--import`): the computer has another name, so that its process numbers are not ours, and a clock that
// is ahead or behind.
import { syncBuiltinESMExports } from "node:module";
import os from "node:os";

const { OTHER_MACHINE: name, OTHER_CLOCK_MS: shift = "0" } = process.env;
if (name !== undefined) {
  os.hostname = () => name;
  syncBuiltinESMExports();
}

const ahead = Number(shift);
if (ahead !== 0) {
  const real = Date;
  globalThis.Date = class extends real {
    /** @param {[]} given */
    constructor(...given) {
      super(...(given.length === 0 ? [real.now() + ahead] : given));
    }
    static now() {
      return real.now() + ahead;
    }
  };
}
