import { textOf, type Json } from "../../../base/index.ts";
import { maskSecrets, recordsWith, type EngineContext } from "../../../engine/index.ts";
import { mainScope } from "../../../kernel/index.ts";
import type { TranscriptEntry } from "../../../ports/index.ts";
import { logsFolder, type PromptsDefinition } from "../definition/index.ts";
import { logLines, type LoggedRecord } from "../views/index.ts";

/** The log of a run as it is now, secrets masked; undefined for runs of other dialects, which have none. */
export async function logOf(
  engine: EngineContext,
  run: string,
): Promise<{ readonly path: string; readonly lines: readonly string[] } | undefined> {
  const { id, program, state } = await engine.runs.open(run);
  const { uuid } = state.options;
  const part = program.parts[program.main];
  if (part?.dialect !== "prompts" || uuid === undefined) return undefined;
  const records: LoggedRecord[] = [];
  for await (const { at, decoded } of recordsWith(engine, id)) records.push({ at, events: decoded });
  const said: TranscriptEntry[] = [];
  for await (const entry of engine.transcripts.read(id)) said.push(entry);
  const definition = part.config["prompts"] as unknown as PromptsDefinition;
  const message = textOf(state.scopes[mainScope]?.inputs["user_message"] ?? "");
  const lines = logLines({ uuid, definition, message }, records, said);
  const masked = maskSecrets(lines as unknown as Json, program, state) as unknown as typeof lines;
  return { path: `${logsFolder}/${uuid}.jsonl`, lines: masked.map((line) => JSON.stringify(line)) };
}
