import type { Host, Run } from "../ports/index.ts";

/** Before the file of an agent that does what this file says. */
const prefix = "script:";

/** With the content of the file that such an agent obeys: a person allows that, and not what the file becomes. */
export function withScript({ host }: { readonly host: Pick<Host, "hashOfFile"> }, run: Run): Run {
  const { kind, usualAgent, agent = usualAgent } = run;
  if (kind !== "agent" || agent?.startsWith(prefix) !== true) return run;
  return { ...run, script: host.hashOfFile(agent.slice(prefix.length))?.slice(0, 32) ?? "that is missing" };
}
