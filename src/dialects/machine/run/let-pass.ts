import { commandsOf, criteriaIn, tasksIn } from "./artifacts.ts";
import type { MachineMemory } from "./machine-memory.ts";
import type { SessionFile } from "./session-folder.ts";

/**
 * Commands whose failure a person let pass: waived themselves or with their task or criterion, or accepted when they could not be
 * mended. One that was only accepted still counts while a criterion needs it.
 */
export function letPass({ accepted, waived }: MachineMemory, files: readonly SessionFile[]): ReadonlySet<string> {
  const criteria = criteriaIn(files);
  const named = (isNamed: boolean) => criteria.filter(({ id }) => waived.includes(id) === isNamed).flatMap(({ verify }) => verify);
  const needed = commandsOf(named(false));
  const ofTasks = tasksIn(files).flatMap(({ id, acceptance_checks }) => (waived.includes(id) ? acceptance_checks : []));
  return new Set([
    ...waived,
    ...commandsOf(named(true)),
    ...[...accepted, ...commandsOf(ofTasks)].filter((each) => !needed.includes(each)),
  ]);
}
