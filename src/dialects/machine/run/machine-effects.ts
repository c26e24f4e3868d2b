import { begin, enterState } from "./begin.ts";
import { finish, writeReport } from "./finish.ts";
import { pose } from "./pose-question.ts";
import { prepare } from "./prepare.ts";
import { countRepair } from "./repair-rounds.ts";
import { runChecks } from "./run-checks.ts";
import type { MachineEffect } from "./runtime.ts";
import { settle } from "./settle-answer.ts";
import type { PerformMachine } from "./sync-session.ts";
import { promoteTasks, takeTasks } from "./task-list.ts";

export const machineEffects: Readonly<Record<MachineEffect, PerformMachine>> = {
  machine_begin: begin,
  machine_enter: enterState,
  machine_prepare: prepare,
  machine_ask: pose,
  machine_answered: settle,
  machine_checks: runChecks,
  machine_take: takeTasks,
  machine_promote: promoteTasks,
  machine_repair: countRepair,
  machine_report: writeReport,
  machine_finish: finish,
};
