import { exitCodes, usage } from "../codes.ts";
import type { Given } from "../define-command.ts";

export async function mcpCommand({ session, options }: Given): Promise<number> {
  if (session.out.json) throw usage("`--json` cannot be combined with `mcp`: stdout belongs to the protocol.", "Leave `--json` out.");
  await session.world.serveMcp({ ...session.flags, ...toolsOf(options["tools"]), signal: session.world.stopSignal() });
  return exitCodes.done;
}

/** `a,b` as a list; nothing when the option was not given, so that the settings decide. */
export function toolsOf(text: string | undefined): { readonly tools?: readonly string[] } {
  if (text === undefined) return {};
  const tools = text
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
  if (tools.length === 0) throw usage("`--tools` names no toolset.", "Write for example `--tools state,debug`, or `--tools all`.");
  return { tools };
}
