import { once } from "node:events";
import { TerminalPlatform } from "../chat/terminal-platform.ts";
import { chatLines } from "../chat-lines.ts";
import { badValue, usage } from "../codes.ts";
import type { Given } from "../define-command.ts";
import { parseCount } from "../parse-values.ts";
import { placeWords, quoted } from "../printed-lines.ts";
import type { Session } from "../session.ts";
import type { OpenChat } from "../world.ts";

/** Talks in the terminal, or serves the test adapter, until the input ends or a signal comes. */
export async function chatCommand({ session, options }: Given): Promise<void> {
  const port = portOf(options["testAdapter"]);
  if (port !== undefined && (options["conversation"] ?? options["mode"]) !== undefined)
    throw usage("`--conversation` and `--mode` are about the chat in this terminal.", "Leave them out: requests name them.");
  const conversation: string = options["conversation"] ?? "main";
  if (/\p{C}/u.test(conversation))
    throw badValue("`--conversation` has characters that cannot be shown.", "Use letters, digits and spaces.");
  const [stop, cancel] = [session.world.stopSignal(), session.world.cancelSignal()];
  const { isTerminal: isAtTerminal, user: name } = session.world;
  const place = port === undefined ? ({ platform: "terminal", conversation } as const) : ({ platform: "test" } as const);
  const opened = await session.world.openChat({
    ...session.flags,
    place,
    user: { name, isAtTerminal },
    lines: chatLines(session.flags),
    cancel,
  });
  try {
    const leave = port === undefined ? await talk(session, opened, options) : await serve(session, opened, port);
    stop.addEventListener("abort", () => sayStopping(session), { once: true });
    await Promise.race([leave.ended, aborted(stop)]);
    if (!stop.aborted && opened.chat.isBusy()) session.out.aside(finishing);
    await opened.chat.close();
    await leave.stop();
  } finally {
    await opened.close();
  }
  // Without a terminal the end of the input is the end of a script, which knows.
  if (stop.aborted || session.world.isTerminal) session.out.hint(`→ What is open continues with: ${againLine(session, options)}`);
}

function againLine(session: Session, options: Given["options"]): string {
  const named = (["testAdapter", "conversation", "mode"] as const).flatMap((key) => {
    const value: string | undefined = options[key];
    return value === undefined ? [] : [`--${key === "testAdapter" ? "test-adapter" : key} ${quoted(value)}`];
  });
  const { logFile } = session.flags;
  return ["waymark chat", placeWords({ ...(logFile !== undefined && { logFile }) }), ...named].filter((word) => word !== "").join(" ");
}

const finishing = "The chat ends after the open steps. Press Ctrl-C twice to leave them now; they are begun again later.";
const stopping = "The chat stops after the open steps. Press Ctrl-C again to leave them now; they are begun again later.";

/** Below the prompt, where there is one. */
function sayStopping({ out, world }: Session): void {
  if (world.isTerminal) out.line();
  out.aside(stopping);
}

interface Leaving {
  readonly ended: Promise<void>;
  readonly stop: () => Promise<void>;
}

async function talk(session: Session, { chat, conversation }: OpenChat, options: Given["options"]): Promise<Leaving> {
  const { out, world } = session;
  const platform: TerminalPlatform = new TerminalPlatform({
    world,
    out,
    conversation,
    person: world.user,
    mode: options["mode"] ?? "stream",
    receive: (message) => chat.receive(platform, message),
    idle: () => chat.idle(),
  });
  if (world.isTerminal && !out.json) {
    session.showWorkspace();
    out.hint("Write what you want done, or /help. Leave with Ctrl-D.");
  }
  await chat.join(platform);
  await platform.start();
  const ended = platform.ended.then(() => (world.isTerminal ? undefined : chat.idle()));
  return { ended, stop: () => platform.stop() };
}

async function serve({ out }: Session, { chat, testAdapter, configFile, people }: OpenChat, port: number): Promise<Leaving> {
  const adapter = testAdapter(port);
  await chat.join(adapter);
  await adapter.start();
  out.document({ url: adapter.url() }, "line");
  out.line(`The test adapter is on ${adapter.url()}, for this computer and without a token.`);
  if (!people.of("test", "local").may.has("start"))
    out.hint(`→ It starts no workflows until your ${configFile} has: people: { test:local: { may: [start] } }`);
  out.hint("→ Stop with Ctrl-C.");
  return { ended: new Promise(() => undefined), stop: () => adapter.stop() };
}

function portOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const port = parseCount(text, "--test-adapter");
  if (port > 65_535) throw usage(`There is no port ${port}.`, "Use one from 1 to 65535, or 0 for a free one.");
  return port;
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, "abort");
}
