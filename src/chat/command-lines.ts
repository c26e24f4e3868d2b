import type { EngineContext } from "../engine/index.ts";
import type { Program } from "../program/index.ts";

/** Lines of Waymark's command line, as a chat names them to people: what a chat cannot do is done there. */
export interface CommandLines {
  /** A text in which every such line names the folder, and the store where that has to be named: who reads it may be anywhere. */
  placed(folder: string, text: string): string;
  /** Starts a workflow with a request and drives it, with a place to fill in for whatever else it needs. */
  start(context: EngineContext, workflow: string, program: Program, request: string): string;
  /** Asks a question in a terminal. */
  decide(run: string, question: string): string;
}
