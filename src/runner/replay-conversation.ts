import type { StepTurnParts } from "./step-turns.ts";

/** What was said before, in the strand or in the conversation that the step names, ahead of the prompt. */
export async function replayed({ driver, handle, action, wish }: StepTurnParts, first: string): Promise<string> {
  const { transcripts } = driver.parts.context;
  const named = new Set<string>();
  if (wish?.session !== undefined)
    for await (const { action: of, event } of transcripts.read(handle.id))
      if (event.type === "session" && event.sessionId === wish.session.id) named.add(of);
  const said: string[] = [];
  let asked: string | undefined;
  for await (const { strand, action: of, event } of transcripts.read(handle.id)) {
    if (wish?.session === undefined ? strand !== action.strand : !named.has(of)) continue;
    if (event.type === "prompt") asked = event.text;
    // A prompt that no agent answered may not have reached one.
    if (event.type !== "message" && event.type !== "tool") continue;
    if (asked !== undefined) said.push(`You were asked:\n${asked}`);
    asked = undefined;
    if (event.type === "message") said.push(`You said:\n${event.text}`);
  }
  return [`This continues a conversation that was lost. It was:`, ...said, "Now:", first].join("\n\n");
}
