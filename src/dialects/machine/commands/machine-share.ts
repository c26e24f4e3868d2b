import { roleResultWanted } from "../views/index.ts";
import type { CommandShare } from "../../../cli/index.ts";
import { inspectFolders } from "./doctor-sessions.ts";

export const machineShare: CommandShare = {
  inspect: inspectFolders,
  fillIns: [roleResultWanted],
};
