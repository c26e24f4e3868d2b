import type { CommandLines } from "../chat/index.ts";
import { commandHead } from "./output.ts";
import { placeWords, quoted } from "./printed-lines.ts";
import { driveRequestLine } from "./start-lines.ts";
import type { EngineFlags } from "./world.ts";

/** `given`: what was named when the chat was opened, beside the folder. */
export function chatLines(given: Pick<EngineFlags, "store" | "logFile">): CommandLines {
  return {
    placed: (workspace, text) => text.replaceAll(commandHead, () => `waymark ${placeWords({ ...given, workspace })} `),
    start: driveRequestLine,
    decide: (run, question) => `waymark decide ${quoted(run)} ${quoted(question)}`,
  };
}
