import { counted } from "../base/index.ts";
import type { DriveEnd, DriveRequest, RunnerParts } from "./drive-request.ts";

/** A timer of Node that is set for longer rings at once. */
const longestAlarm = 2 ** 31 - 1;

/** `endsAt`: by the clock of the store, when the drive has no time left. */
export type TimedRequest = Omit<DriveRequest, "minutes"> & { readonly endsAt?: number };

/** When its minutes are over a drive ends as after Ctrl-C: what is open comes to its end, and nothing begins after it. */
export async function driveInTime(
  { context }: RunnerParts,
  { minutes, ...request }: DriveRequest,
  drive: (request: TimedRequest) => Promise<DriveEnd>,
): Promise<DriveEnd> {
  if (minutes === undefined) return drive(request);
  const over = new AbortController();
  const off = alarmAfter(context.host.alarms, minutes * 60_000, () => over.abort());
  try {
    const endsAt = (await context.store.now()) + minutes * 60_000;
    const end = await drive({ ...request, endsAt, finish: AbortSignal.any([request.finish, over.signal]) });
    const isPlain = end.kind === "parked" && end.until === undefined && (end.stuck ?? end.allow ?? end.login ?? end.setup) === undefined;
    if (!isPlain || !over.signal.aborted || request.finish.aborted) return end;
    return { ...end, why: `The ${counted(minutes, "minute")} of this drive ${minutes === 1 ? "is" : "are"} over.` };
  } finally {
    off();
  }
}

function alarmAfter(alarms: RunnerParts["context"]["host"]["alarms"], ms: number, ring: () => void): () => void {
  let off = (): void => undefined;
  const set = (left: number): void => {
    off = alarms.after(Math.min(left, longestAlarm), () => (left > longestAlarm ? set(left - longestAlarm) : ring()));
  };
  set(ms);
  return () => off();
}
