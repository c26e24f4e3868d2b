import { once } from "node:events";
import { usage } from "../codes.ts";
import type { Given } from "../define-command.ts";
import { commaList, parseCount } from "../parse-values.ts";
import { placeWords } from "../printed-lines.ts";

export async function mcpCommand({ session, options }: Given): Promise<void> {
  if (session.out.json) throw usage("`--json` cannot be combined with `mcp`: stdout belongs to the protocol.", "Leave `--json` out.");
  const place = placeWords(session.givenPlace);
  await session.world.serveMcp({ ...session.flags, place, ...toolsOf(options["tools"]), signal: session.world.stopSignal() });
}

export async function serveCommand({ session, options }: Given): Promise<void> {
  const port = parseCount(options["port"], "--port");
  if (port > 65_535) throw usage(`There is no port ${port}.`, "Use one from 1 to 65535, or 0 for a free one.");
  const tools = toolsOf(options["tools"]);
  const stop = session.world.stopSignal();
  const server = await session.world.serveHttp({ ...session.flags, place: placeWords(session.givenPlace), ...tools, port });
  const { out } = session;
  try {
    out.document({ url: server.url, file: server.file }, "line");
    out.line(`Serving on ${server.url}`);
    out.line(`The address and the token are in ${server.file}`);
    out.hint("→ Stop with Ctrl-C.");
    if (!stop.aborted) await once(stop, "abort");
  } finally {
    await server.close();
  }
  out.line("Stopped.");
}

/** `a,b` as a list; nothing when the option was not given, so that the settings decide. */
function toolsOf(text: string | undefined): { readonly tools?: readonly string[] } {
  if (text === undefined) return {};
  const tools = commaList(text);
  if (tools.length === 0) throw usage("`--tools` names no toolset.", "Write for example `--tools state,debug`, or `--tools all`.");
  return { tools };
}
