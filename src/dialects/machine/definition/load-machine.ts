import { importKey, type CallingSet, type ExpressionChecker, type LoweredWorkflow } from "../../../source/index.ts";
import { lowerMachine } from "./lower.ts";
import { parseMachine } from "./parse-machine.ts";

/** Instructions of roles come in as imports, so that they are pinned with the run. */
export function loadMachine({ main, imports }: CallingSet, checker?: ExpressionChecker): LoweredWorkflow {
  const own = importKey(main.path, "");
  const files = Object.fromEntries(
    Object.entries(imports).flatMap(([key, file]) => (key.startsWith(own) ? [[key.slice(own.length), file]] : [])),
  );
  const { definition, info, diagnostics } = parseMachine(main, {
    source: main.source,
    files,
    ...(checker === undefined ? {} : { checker }),
  });
  const place = { file: main.path, line: 1, column: 1 };
  const named = { ...info, name: info.name === "" ? main.name : info.name };
  return { info: named, diagnostics, ...(definition === undefined ? {} : { program: lowerMachine(definition, place) }) };
}
