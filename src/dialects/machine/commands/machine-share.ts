import type { CommandShare } from "../../../cli/index.ts";
import { mainScope } from "../../../kernel/index.ts";
import { machineOfProgram, modeLines } from "../definition/index.ts";
import { chosenMode } from "../run/index.ts";
import { roleResultWanted } from "../views/index.ts";
import { inspectFolders } from "./doctor-sessions.ts";

export const machineShare: CommandShare = {
  inspect: inspectFolders,
  fillIns: [roleResultWanted],
  info: (program) => {
    const lines = modeLines(machineOfProgram(program));
    return lines.length > 1 ? lines : [];
  },
  begun: ({ program, state }) => chosenMode({ definition: machineOfProgram(program), inputs: state.scopes[mainScope]?.inputs ?? {} }).why,
};
