import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { chatLines } from "../cli/chat-lines.ts";
import { KeptPlatform } from "../../test/support/chat-bench.ts";
import { openChat } from "./open-chat.ts";

let base: string;
let server: Server;
let asked: () => void;
const isAsked = new Promise<void>((resolve) => (asked = resolve));

/** A server of repositories that takes a request and never answers it. */
beforeEach(async () => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "waymark-open-chat-")));
  for (const name of ["work", "code", "config"]) mkdirSync(join(base, name));
  server = createServer(() => asked());
  await new Promise<void>((done) => void server.listen(0, "127.0.0.1", done));
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
  rmSync(base, { recursive: true, force: true });
});

test("a clone that is under way ends with a chat that is cancelled, and is begun again by the next one", async () => {
  const here = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  writeFileSync(join(base, "config/config.yaml"), JSON.stringify({ chat: { roots: [join(base, "code")], clone_from: [here] } }));
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: base,
    WAYMARK_CONFIG_HOME: join(base, "config"),
    WAYMARK_DATA_HOME: join(base, "data"),
  };
  const cancel = new AbortController();
  const request = {
    workspace: join(base, "work"),
    place: { platform: "terminal", conversation: "main" },
    user: { name: "ada", isAtTerminal: true },
    lines: chatLines({}),
    cancel: cancel.signal,
  } as const;
  const opened = await openChat(request, env, () => Promise.resolve({}));
  const platform = new KeptPlatform("terminal");
  await opened.chat.join(platform);
  await opened.chat.receive(platform, { conversation: "main", id: "1", person: "ada", text: `/clone ${here}app` });
  await isAsked;
  cancel.abort();
  await opened.close();
  expect(platform.sent).toEqual([]);
  expect(readdirSync(join(base, "code"))).toEqual([]);
  const again = new AbortController();
  const next = await openChat({ ...request, cancel: again.signal }, env, () => Promise.resolve({}));
  const requests: string[] = [];
  server.on("request", ({ url }) => requests.push(url ?? ""));
  await next.chat.join(platform);
  await expect.poll(() => requests).toEqual([expect.stringMatching(/^\/app/)]);
  again.abort();
  await next.close();
});
