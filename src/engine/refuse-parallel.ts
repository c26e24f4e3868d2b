import { parallelCalls, type Program } from "../program/index.ts";
import { refused } from "./codes.ts";

/** What works alone: a machine tells by the files who changed what; the actions of a bot and the files of a checklist are rows of the run. */
const alone: Readonly<Record<string, string>> = { machine: "machine", bots: "bot", checklist: "checklist" };

/**
 * Two calls of a machine or a bot at the same time would each take the other's work for its own, and a checklist hands out its files to
 * the agents of the run, not inside a task. So no run begins that calls them in that way.
 */
export function refuseParallel(program: Program): void {
  const found = parallelCalls(program).find(({ part, atOnce, tasks }) => {
    const { dialect = "" } = program.parts[part] ?? {};
    return dialect === "checklist" ? tasks : atOnce && Object.hasOwn(alone, dialect);
  });
  if (found === undefined) return;
  const { name = found.part, dialect = "" } = program.parts[found.part] ?? {};
  throw refused(
    "ENGINE_PARALLEL_CALL",
    `\`${program.name}\` calls the ${alone[dialect] ?? dialect} \`${name}\` in parallel tasks, and it has to run alone. Nothing was started.`,
    "Start it with `serial: true` (`--serial` on the command line), or call it in a `foreach` instead of a `parallel_foreach`.",
    { workflow: name },
  );
}
