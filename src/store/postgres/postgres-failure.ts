import { isWaymarkError, type WaymarkError } from "../../base/index.ts";
import type { DriverAddress } from "./driver-address.ts";
import {
  cannotOpen,
  nameTooLong,
  storeCorrupt,
  storeFailed,
  storeFull,
  storeLocked,
  storeReadOnly,
  storeRefused,
} from "../store-errors.ts";

/** Of the server five characters; of Node's sockets a word. */
export function failureCode(error: unknown): string {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === "string" ? code : "";
}

/** Whether the same transaction may succeed when it is tried again: two were in each other's way, or another program in that of the seed's rows. */
export function isCollision(error: unknown): boolean {
  return ["40001", "40P01"].includes(failureCode(error)) || (["23503", "23505"].includes(failureCode(error)) && isOfSeed(error));
}

export function isUniqueViolation(error: unknown): boolean {
  return failureCode(error) === "23505" && !isOfSeed(error);
}

function isOfSeed(error: unknown): boolean {
  return String((error as { table?: unknown }).table).startsWith("remote_agent_");
}

/** What was to be made has the name of something that is there. */
export function isAlreadyThere(error: unknown): boolean {
  return ["42P07", "42710", "42723"].includes(failureCode(error));
}

/** The server's user may not do this: it has no right, or does not own what it would change. */
export function isForbidden(error: unknown): boolean {
  return failureCode(error) === "42501";
}

// The server ends connections (shutdown, crash, start, idle in a transaction), has no connection left, or is a standby until it takes over.
const serverGone = ["57P01", "57P02", "57P03", "57P05", "25P03", "25P04", "25006", "53300"];
const socketGone = [
  "ECONNRESET",
  "ECONNREFUSED",
  "EPIPE",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENETDOWN",
  "EAI_AGAIN",
  "ENOTFOUND",
];
// The driver has no codes for these.
const driverSays =
  /^(?:Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error|Client was closed)/;

/** Whether the connection to the server was lost or could not be made; what ran on it may have been committed. */
export function isLost(error: unknown): boolean {
  const code = failureCode(error);
  if (serverGone.includes(code) || socketGone.includes(code) || code.startsWith("08")) return true;
  // A socket of a server that is not running; a file of a certificate that is not there is another matter.
  if (code === "ENOENT") return (error as NodeJS.ErrnoException).syscall === "connect";
  if (error instanceof AggregateError) return error.errors.length > 0 && error.errors.every(isLost);
  return code === "" && error instanceof Error && driverSays.test(error.message);
}

/** Whether a server or a pooler said it, which is there then, though it may be starting or have no connection to give. */
export function isAnswer(error: unknown): boolean {
  return typeof (error as { severity?: unknown } | undefined)?.severity === "string";
}

/** Whether the server has answered that it does not write now, so that it did not. */
export function isReadOnly(error: unknown): boolean {
  return failureCode(error) === "25006";
}

/** Gives an error of the driver or the server its place in the catalogue. */
export function postgresFailure(error: unknown, place: string, address?: Pick<DriverAddress, "withoutPassword">): WaymarkError {
  if (isWaymarkError(error)) return error;
  const code = failureCode(error);
  const why = error instanceof Error ? error.message : String(error);
  if (code === "55P03") return storeLocked(place, lockWaitMs, "The store");
  if (isForbidden(error)) return storeReadOnly(place, `the server refuses this user (${why})`, error, rightsFix);
  if (code === "54000" && why.startsWith("index row")) return nameTooLong(place, why, error);
  if (code === "28P01" && address?.withoutPassword === true)
    return cannotOpen(place, "the server asks for a password, and none was given", error, noPasswordFix);
  if (/^(?:28|3D000|3F000|ENOENT|EACCES|ERR_|SELF_SIGNED|DEPTH_ZERO|UNABLE_TO|CERT_|ERR_TLS)/.test(code) || /SSL|certificate/i.test(why))
    return cannotOpen(place, why.replace(/\.$/, ""), undefined, connectionFix(code, why));
  if (code === "53100") return storeFull(place, error);
  if (/^XX00[12]$/.test(code)) return storeCorrupt(place, why, error);
  return refusedForItself.test(code) ? storeRefused(place, why, error) : storeFailed(place, error);
}

/** Data, constraints, limits and statements that the server does not take, now or later; a table or a column that is missing may come back. */
const refusedForItself = /^(?:0A|2[123]|42(?!P01|703)|54)/;

const noPasswordFix =
  "Put it into the address (`WAYMARK_STORE_URL`), into `PGPASSWORD`, or into a line of `~/.pgpass`, a file that nobody but you may read.";

/** What helps against this cause of a connection that cannot be made; undefined where the catalogue says all there is. */
function connectionFix(code: string, why: string): string | undefined {
  if (code === "28P01") return "Correct the user in the address, or its password: there, in `PGPASSWORD` or in `~/.pgpass`.";
  if (/no encryption/.test(why)) return "The server wants TLS, or another user: add `?sslmode=verify-full` to the address.";
  if (code.startsWith("28"))
    return "Correct the user in the address, or ask the person who runs the server to admit it from this computer.";
  if (code === "3D000") return "Correct the name of the database behind the last `/` of the address, or make the database.";
  if (/does not support SSL/.test(why))
    return "Turn TLS on at the server, or write `sslmode=disable` into the address where the network between is yours.";
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID") return "Use a host name in the address that the server's certificate is for.";
  if (/^(?:SELF_SIGNED|DEPTH_ZERO|UNABLE_TO)/.test(code))
    return "Name the file with the authority of the server's certificate in the address: `sslrootcert=<file>`.";
  if (code.endsWith("_EXPIRED")) return "Give the server a certificate that is valid now.";
  if (code === "ENOENT" || code === "EACCES")
    return "Correct the path of the file in the options of the address (`sslrootcert`, `sslcert`, `sslkey`).";
  return undefined;
}

const rightsFix =
  "Give the user of the database the rights that docs/postgresql-roles.sql gives `waymark_worker`, or use another user's address.";

/** How long a transaction waits for a row that another one has changed. */
export const lockWaitMs = 15_000;
