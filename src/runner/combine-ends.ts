import type { DriveEnd } from "./drive-request.ts";

const kinds: readonly DriveEnd["kind"][] = ["completed", "failed", "cancelled", "waits", "parked"];

/**
 * How driving ended, from what each worker came to: what ends a run comes before what holds it up, an answer that is missing before a
 * permission, a login, what an agent needs, a retry, the earliest time, and any other reason. Of equal ones the first counts.
 */
export function combineEnds(ends: readonly [DriveEnd, ...DriveEnd[]]): DriveEnd {
  return ends.reduce((best, end) => (comesBefore(rankOf(end), rankOf(best)) ? end : best));
}

function rankOf(end: DriveEnd): readonly number[] {
  if (end.kind !== "parked") return [kinds.indexOf(end.kind)];
  const reasons = [
    end.allow !== undefined,
    end.login !== undefined,
    end.setup !== undefined,
    end.stuck === true,
    end.until !== undefined,
    true,
  ];
  const how = reasons.indexOf(true);
  return [kinds.indexOf(end.kind), how, end.until ?? 0];
}

function comesBefore(one: readonly number[], other: readonly number[]): boolean {
  const at = one.findIndex((rank, index) => rank !== other[index]);
  return at >= 0 && (one[at] ?? 0) < (other[at] ?? 0);
}
