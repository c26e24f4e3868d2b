import { createHash } from "node:crypto";
import { isRunning } from "../disk/index.ts";
import { startTimeOf, statFields, thisComputer } from "./process-identity.ts";

const form = /^p(\d+)-[a-z0-9]+\.([a-z0-9]*)\.([a-z0-9]*)(?![a-z0-9.])/;

/** A name for this process among all that use a store, which says who it is: `p<pid>-<random>.<place>.<start>`. */
export function createProcessId(random: string): string {
  return `p${process.pid}-${random}.${placeHere()}.${startTimeOf(process.pid) ?? ""}`;
}

/**
 * Whether the process that an id or the name of a lease owner begins with is certainly dead. False for processes elsewhere and for every
 * other name: nobody here can know.
 */
export function isProcessGone(owner: string): boolean {
  const [, number = "", place = "", started = ""] = form.exec(owner) ?? [];
  if (number === "" || place === "" || place !== placeHere()) return false;
  const pid = Number(number);
  // Asks the system and not /proc first, which may hide the processes of other users.
  if (!isRunning(pid)) return true;
  const [state] = started === "" ? [] : statFields(pid);
  return state !== undefined && (state === "Z" || state === "X" || startTimeOf(pid) !== started);
}

let known: string | undefined;

/** Host, PID namespace and boot as a short hash. On Linux a number means something in its namespace only: empty where that is not known. */
function placeHere(): string {
  const { host, namespace, boot } = thisComputer();
  const isKnown = process.platform !== "linux" || (namespace !== "" && boot !== "");
  return (known ??= isKnown ? createHash("sha256").update([host, namespace, boot].join("\0")).digest("hex").slice(0, 10) : "");
}
