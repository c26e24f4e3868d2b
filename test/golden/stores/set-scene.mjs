// Loaded into processes of the product, so that what they write depends neither on the day nor on who runs them.
import { syncBuiltinESMExports } from "node:module";
import os from "node:os";

const offset = Number(process.env.GOLDEN_CLOCK_OFFSET ?? 0);
const RealDate = Date;

globalThis.Date = class extends RealDate {
  constructor(...parts) {
    super(...(parts.length === 0 ? [RealDate.now() + offset] : parts));
  }
  static now() {
    return RealDate.now() + offset;
  }
};

const { userInfo } = os;
os.userInfo = (...options) => ({ ...userInfo(...options), username: "ada" });
syncBuiltinESMExports();
