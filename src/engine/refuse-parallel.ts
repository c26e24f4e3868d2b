import type { Program } from "../program/index.ts";
import type { LoneCall } from "../source/index.ts";
import { refused } from "./codes.ts";

/** Work of two such calls at the same time would be mixed up, so no run begins that makes them. */
export function refuseParallel(program: Program, [found]: readonly LoneCall[]): void {
  if (found === undefined) return;
  throw refused(
    "ENGINE_PARALLEL_CALL",
    `\`${program.name}\` calls the ${found.word} \`${found.name}\` in parallel tasks, and it has to run alone. Nothing was started.`,
    "Start it with `serial: true` (`--serial` on the command line), or call it in a `foreach` instead of a `parallel_foreach`.",
    { workflow: found.name },
  );
}
