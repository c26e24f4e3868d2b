import { machineEdges, machineOfProgram, renderMachineMermaid, renderMachineText } from "../../dialects/index.ts";
import { roleResultWanted } from "../../views/index.ts";
import type { CommandShare } from "../index.ts";
import { inspectFolders } from "./doctor-sessions.ts";

export const machineShare: CommandShare = {
  explain: (program, format) => {
    const machine = machineOfProgram(program);
    if (format === "json")
      return Promise.resolve(JSON.stringify({ name: machine?.name, edges: machine === undefined ? [] : machineEdges(machine) }, null, 2));
    return Promise.resolve(format === "mermaid" ? renderMachineMermaid(program) : renderMachineText(program));
  },
  inspect: inspectFolders,
  fillIns: [roleResultWanted],
};
