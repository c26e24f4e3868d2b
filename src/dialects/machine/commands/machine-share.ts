import type { JsonObject } from "../../../base/index.ts";
import type { CommandShare } from "../../../cli/index.ts";
import { mainScope } from "../../../kernel/index.ts";
import { machineOfProgram, modeLines, type MachineDefinition } from "../definition/index.ts";
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
  begun: ({ program, state }) => {
    const definition = machineOfProgram(program);
    const inputs = state.scopes[mainScope]?.inputs ?? {};
    return [...chosenMode({ definition, inputs }).why, ...(state.options.folder === undefined ? oneAtATime(definition, inputs) : [])];
  },
};

/** Inputs that ask for tasks at the same time, in a run that has no worktree for that. */
function oneAtATime({ states }: MachineDefinition, inputs: JsonObject): readonly string[] {
  const most = Object.values(states).flatMap(({ inner }) => inner?.ahead?.most ?? []);
  const asking = Object.keys(inputs).filter((name) => Number(inputs[name]) > 1 && most.some((each) => each.trim() === `inputs.${name}`));
  return asking.map(
    (name) => `Tasks are done one at a time: \`${name}\` counts only in a run with a worktree (\`waymark run --worktree\`).`,
  );
}
