import type { CommandLines } from "../chat/index.ts";
import { placeWords, quoted } from "./printed-lines.ts";
import { driveRequestLine } from "./start-lines.ts";
import type { EngineFlags } from "./world.ts";

/** What follows is a command, not a word of a sentence or a part of a path. */
const lineHead = /(?<![\w./-])waymark (?=[a-z])/g;

/** `given`: what was named when the chat was opened, beside the folder. */
export function chatLines(given: Pick<EngineFlags, "store" | "logFile">): CommandLines {
  return {
    placed: (workspace, text) => text.replaceAll(lineHead, () => `waymark ${placeWords({ ...given, workspace })} `),
    start: driveRequestLine,
    decide: (run, question) => `waymark decide ${quoted(run)} ${quoted(question)}`,
  };
}
