import { begin } from "./begin.ts";
import { countRepair } from "./count-repair.ts";
import { finish } from "./finish.ts";
import type { PerformMachine } from "./machine-job.ts";
import { pose } from "./pose-question.ts";
import { prepare } from "./prepare.ts";
import type { MachineEffect } from "./runtime.ts";
import { runChecks } from "./run-checks.ts";
import { settle } from "./settle-answer.ts";
import { enterState } from "./enter-state.ts";
import { promoteTasks } from "./promote-tasks.ts";
import { writeReport } from "./write-report.ts";
import { takeTasks } from "./take-tasks.ts";

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
