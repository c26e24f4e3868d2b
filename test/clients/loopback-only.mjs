// @ts-check
import { execFileSync, spawn } from "node:child_process";
import { networkInterfaces } from "node:os";

/** A command that runs another one with no network but the loopback; empty where the system cannot do that. */
export function loopbackOnly() {
  const script = '(ip link set lo up || ifconfig lo up) 2>/dev/null && exec "$@"';
  for (const flags of ["-rn", "-n"]) {
    const wrap = ["unshare", flags, "sh", "-c", script, "sh"];
    const [command = "", ...args] = wrap;
    try {
      execFileSync(command, [...args, "true"], { stdio: "ignore", timeout: 10_000 });
      return wrap;
    } catch {
      // Not allowed, or not there: the next way.
    }
  }
  return [];
}

/** Runs a command in place of this process and answers its exit code. @param {string[]} command @returns {Promise<number>} */
export function inherit([command = "", ...args]) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: "inherit" });
    for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"])) {
      // The child cleans up after itself; this process only waits for it.
      process.removeAllListeners(signal);
      process.on(signal, () => child.kill(signal));
    }
    child.once("error", () => resolve(1));
    child.once("exit", (code) => resolve(code ?? 1));
  });
}

/** @param {boolean} isolated whether this process runs below `loopbackOnly` */
export function describeNetwork(isolated) {
  const outside = Object.values(networkInterfaces()).some((held) => held?.some((address) => !address.internal));
  return isolated && !outside
    ? "Network: loopback only."
    : "Network: NOT cut off; `unshare` does not work here, so nothing proves that clients stay on this computer.";
}
