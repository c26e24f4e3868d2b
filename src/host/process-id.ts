import { createHash } from "node:crypto";
import { networkInterfaces } from "node:os";
import { isRunning } from "../disk/index.ts";
import { startTimeOf, statFields, thisComputer, type ProcessIdentity } from "./process-identity.ts";

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

function placeHere(): string {
  return (known ??= placeOf(thisComputer(), process.platform === "linux" ? {} : networkInterfaces()));
}

/**
 * Host, PID namespace and boot as a short hash: on Linux a number means something in its namespace only. Elsewhere the addresses of network cards
 * are used in its place, since computers of one database may have one name; when they change, less is known, never too much. Empty where nothing is known.
 */
export function placeOf(
  { host, namespace, boot }: Pick<ProcessIdentity, "host" | "namespace" | "boot">,
  cards: Readonly<Record<string, readonly { readonly mac: string }[] | undefined>>,
): string {
  const macs = Object.values(cards).flatMap((each) => each?.map(({ mac }) => mac) ?? []);
  const own = [...new Set(macs)].filter((mac) => /[1-9a-f]/i.test(mac)).toSorted();
  const parts = namespace !== "" && boot !== "" ? [host, namespace, boot] : own.length > 0 ? [host, ...own] : [];
  return parts.length === 0 ? "" : createHash("sha256").update(parts.join("\0")).digest("hex").slice(0, 10);
}
