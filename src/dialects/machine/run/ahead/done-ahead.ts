import type { JsonObject } from "../../../../base/index.ts";
import type { DispatchRequest } from "../build-dispatch.ts";
import { asObject, objectIn, withReport, type MachineRun } from "../machine-run.ts";
import type { Changes } from "../sync-session.ts";
import { aheadOf } from "./ahead-record.ts";

/** What the first dispatch of a task comes to, where its role did it ahead; undefined where it must be dispatched. */
export function doneAhead(run: MachineRun, request: DispatchRequest): Changes | undefined {
  const { role, task, goal, leaves, repair, correction } = request;
  const record = task === undefined ? undefined : aheadOf(run, task.id);
  if (task === undefined || record?.brought !== true || record.used === true || record.role !== role) return undefined;
  // It was asked for the task as it is.
  if (repair !== undefined || correction !== undefined || goal !== undefined || leaves.length > 0) return undefined;
  const ahead: JsonObject = { ...objectIn(run.raw, "ahead"), [task.id]: { ...record, used: true } };
  const concerns = asObject(record.output["gates"])["security_concerns"];
  return {
    names: { output: record.output, ahead },
    memory: {
      roles: withReport(run, role),
      ...(Array.isArray(concerns) && concerns.length > 0
        ? {
            concerns: {
              ...run.memory.concerns,
              [task.id]: [...new Set([...(run.memory.concerns[task.id] ?? []), ...concerns.map(String)])],
            },
          }
        : {}),
    },
  };
}
