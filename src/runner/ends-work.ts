import { isWaymarkError } from "../base/index.ts";

/** Of the whole store: no other run can be worked on either. */
const ofStore: ReadonlySet<string> = new Set([
  "STORE_CANNOT_OPEN",
  "STORE_CLOSED",
  "STORE_MOVED",
  "STORE_NOT_ADOPTED",
  "STORE_NOT_OWNER",
  "STORE_TOO_NEW",
  "STORE_UNREACHABLE",
]);

/** Whether an error that came while one run was opened or driven is not that run's alone. */
export function endsWork(error: unknown): boolean {
  return isWaymarkError(error) && ofStore.has(error.code);
}
