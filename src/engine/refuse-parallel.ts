import { parallelCalls, type Program } from "../program/index.ts";
import { refused } from "./codes.ts";

/** What works alone: a machine tells by the files who changed what, and the actions of a bot are rows of the run. */
const alone: Readonly<Record<string, string>> = { machine: "machine", bots: "bot" };

/** Two calls of a machine or a bot at the same time would each take the other's work for its own, so no run begins that makes them. */
export function refuseParallel(program: Program): void {
  const [found] = parallelCalls(program).filter(({ part }) => Object.hasOwn(alone, program.parts[part]?.dialect ?? ""));
  if (found === undefined) return;
  const { name = found.part, dialect = "" } = program.parts[found.part] ?? {};
  throw refused(
    "ENGINE_PARALLEL_CALL",
    `\`${program.name}\` calls the ${alone[dialect] ?? dialect} \`${name}\` in tasks that run at the same time, and it has to run alone. Nothing was started.`,
    "Start it with `serial: true` (`--serial` on the command line), or call it in a `foreach` instead of a `parallel_foreach`.",
    { workflow: name },
  );
}
