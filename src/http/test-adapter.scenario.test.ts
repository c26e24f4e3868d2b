import { request as httpRequest } from "node:http";
import { afterEach, expect, test } from "vitest";
import type { Incoming } from "../chat/index.ts";
import { createTestAdapter, type TestAdapter, type TestAdapterParts } from "./test-adapter.ts";

const adapters: TestAdapter[] = [];
afterEach(async () => {
  for (const adapter of adapters.splice(0)) await adapter.stop();
});

interface Opened {
  readonly adapter: TestAdapter;
  readonly heard: Incoming[];
  readonly logged: unknown[];
  readonly url: string;
}

/** The adapter with a receiver that keeps what it is given and knows a message by its id. */
async function open(parts: Partial<TestAdapterParts> = {}): Promise<Opened> {
  const heard: Incoming[] = [];
  const logged: unknown[] = [];
  const adapter = createTestAdapter({
    port: 0,
    receive: async (message) => {
      if (heard.some(({ id }) => id === message.id)) return "repeated";
      heard.push(message);
      return "taken";
    },
    concurrency: () => ({ active: 1, queued: 2, max: 10 }),
    check: async () => undefined,
    log: (_text, error) => void logged.push(error),
    ...parts,
  });
  adapters.push(adapter);
  await adapter.start();
  return { adapter, heard, logged, url: adapter.url() };
}

interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

/** With the plain client, which sets any header. */
function ask(
  url: string,
  method = "GET",
  { headers = {}, body = "" }: { readonly headers?: Record<string, string>; readonly body?: string } = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest(url, { method, headers }, (response) => {
      let text = "";
      response.on("data", (chunk: Buffer) => (text += chunk.toString()));
      response.on("end", () => resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) as Record<string, unknown> }));
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

const json = { "content-type": "application/json" };
const post = (url: string, body: unknown, headers: Record<string, string> = json): Promise<Answer> =>
  ask(`${url}/test/message`, "POST", { headers, body: JSON.stringify(body) });

test("a message is taken and answered at once; what is sent is read and forgotten by conversation", async () => {
  const { adapter, heard, url } = await open();
  const message = { conversationId: "test wf/1", message: "/workflow list" };
  expect(await post(url, message)).toEqual({ status: 200, body: { success: true, ...message } });
  expect(heard).toEqual([{ conversation: "test wf/1", id: expect.any(String) as string, person: "local", text: "/workflow list" }]);
  await adapter.send("test wf/1", "Available Workflows");
  async function* growing(): AsyncGenerator<string> {
    yield "in ";
    yield "pieces";
  }
  await adapter.send("test wf/1", growing());
  await adapter.send("other", "not shown");
  const sent = { conversationId: "test wf/1", direction: "sent", timestamp: expect.stringMatching(/^\d{4}-.*Z$/) as string };
  const messages = `${url}/test/messages/${encodeURIComponent("test wf/1")}`;
  expect(await ask(messages)).toEqual({
    status: 200,
    body: {
      conversationId: "test wf/1",
      messages: [
        { ...sent, message: "Available Workflows" },
        { ...sent, message: "in pieces" },
      ],
    },
  });
  expect((await ask(messages, "DELETE")).body).toEqual({ success: true, conversationId: "test wf/1" });
  expect((await ask(messages)).body["messages"]).toEqual([]);
  expect((await ask(`${url}/test/messages/other`)).body["messages"]).toHaveLength(1);
});

test("a message that is sent again with its id is done once", async () => {
  const { heard, url } = await open();
  const message = { conversationId: "a", message: "hello", messageId: "m-1" };
  expect((await post(url, message)).body).toEqual({ success: true, conversationId: "a", message: "hello" });
  expect((await post(url, message)).body).toEqual({ success: true, conversationId: "a", message: "hello", repeated: true });
  expect(heard).toHaveLength(1);
});

test("what the chat does not take is refused with where the reason is", async () => {
  const { url } = await open({ receive: async () => "refused" });
  expect(await post(url, { conversationId: "a", message: "hello" })).toMatchObject({ status: 403, body: { code: "HTTP_MESSAGE_REFUSED" } });
});

test("the mode of sending is changed by a request", async () => {
  const { adapter, url } = await open();
  expect(adapter.getStreamingMode()).toBe("stream");
  const put = (mode: unknown): Promise<Answer> => ask(`${url}/test/mode`, "PUT", { headers: json, body: JSON.stringify({ mode }) });
  expect((await put("batch")).body).toEqual({ success: true, mode: "batch" });
  expect(adapter.getStreamingMode()).toBe("batch");
  expect(await put("loud")).toMatchObject({ status: 400, body: { detail: expect.stringContaining("stream") as string } });
});

test("health names what works", async () => {
  const { url } = await open();
  expect((await ask(`${url}/health`)).body).toEqual({ status: "ok" });
  expect((await ask(`${url}/health/db`)).body).toEqual({ status: "ok", database: "connected" });
  expect((await ask(`${url}/health/concurrency`)).body).toEqual({ status: "ok", active: 1, queuedTotal: 2, maxConcurrent: 10 });
  const broken = await open({ check: () => Promise.reject(new Error("gone")) });
  expect(await ask(`${broken.url}/health/db`)).toMatchObject({ status: 500, body: { code: "HTTP_UNEXPECTED" } });
  expect(broken.logged).toEqual([new Error("gone")]);
  const silent = await open({ check: () => new Promise(() => undefined), checkMs: 20 });
  expect(await ask(`${silent.url}/health/db`)).toMatchObject({ status: 503, body: { code: "HTTP_STORE_SILENT" } });
});

const message = { conversationId: "a", message: "hello" };

test.each([
  ["a page of another site", { ...json, origin: "https://evil.example" }, 403, "HTTP_BROWSER"],
  ["a page of this computer", { ...json, origin: "http://localhost:8080" }, 403, "HTTP_BROWSER"],
  ["a page without a site", { ...json, origin: "null" }, 403, "HTTP_BROWSER"],
  ["a page that hides its origin", { ...json, "sec-fetch-site": "cross-site" }, 403, "HTTP_BROWSER"],
  ["a form", { "content-type": "text/plain" }, 400, "HTTP_BODY"],
  ["a form with fields", { "content-type": "application/x-www-form-urlencoded" }, 400, "HTTP_BODY"],
  ["no type at all", {}, 400, "HTTP_BODY"],
])("%s cannot write", async (_who, headers, status, code) => {
  const { heard, url } = await open();
  expect(await post(url, message, headers)).toMatchObject({ status, body: { code, detail: expect.any(String) as string } });
  expect(heard).toEqual([]);
});

test("a name that was pointed here is refused, for writing and for reading", async () => {
  const { heard, url } = await open();
  const host = "evil.example";
  expect(await post(url, message, { ...json, host })).toMatchObject({
    status: 403,
    body: { error: { message: "Invalid Host: evil.example" } },
  });
  expect((await ask(`${url}/test/messages/a`, "GET", { headers: { host } })).status).toBe(403);
  expect(heard).toEqual([]);
});

test("a page may not ask whether it may write", async () => {
  const { url } = await open();
  const headers = { origin: "https://evil.example", "access-control-request-method": "POST" };
  const answer = await ask(`${url}/test/message`, "OPTIONS", { headers });
  expect(answer).toMatchObject({ status: 403, body: { code: "HTTP_BROWSER" } });
});

test.each([
  ["no conversation", { message: "x" }],
  ["an empty conversation", { conversationId: "", message: "x" }],
  ["a long one", { conversationId: "x".repeat(201), message: "x" }],
  ["one that moves the cursor", { conversationId: "a\u001b[2J", message: "x" }],
  ["no message", { conversationId: "a" }],
  ["an empty message", { conversationId: "a", message: " \n" }],
  ["a message that is not a text", { conversationId: "a", message: { text: "x" } }],
  ["an id that is not a text", { conversationId: "a", message: "x", messageId: 1 }],
  ["a list", [message]],
])("a body with %s is refused", async (_what, body) => {
  const { heard, url } = await open();
  expect(await post(url, body)).toMatchObject({ status: 400, body: { code: "HTTP_BODY" } });
  expect(heard).toEqual([]);
});

test("ten megabytes are refused with a reason that arrives", async () => {
  const { heard, url } = await open();
  const answer = await post(url, { conversationId: "a", message: "x".repeat(10 * 1024 * 1024) });
  expect(answer).toMatchObject({
    status: 413,
    body: { code: "HTTP_TOO_LONG", detail: expect.stringContaining("longer than 1048576 bytes") as string },
  });
  expect(heard).toEqual([]);
});

test("other paths and methods are answered with those that there are", async () => {
  const { url } = await open();
  expect(await ask(`${url}/api/decide`, "POST")).toMatchObject({ status: 404, body: { code: "HTTP_NOT_FOUND" } });
  expect(await ask(`${url}/test/messages/%E0%A4%A`)).toMatchObject({ status: 404 });
  expect(await ask(`${url}/test/message`)).toMatchObject({ status: 405, body: { fix: "Use POST." } });
  expect(await ask(`${url}/test/messages/a`, "PUT")).toMatchObject({ status: 405, body: { fix: "Use GET or DELETE." } });
});

test("what is kept has a limit: the oldest goes first", async () => {
  const { adapter, url } = await open();
  for (let at = 0; at < 10_010; at++) await adapter.send("a", `${at}`);
  const { messages } = (await ask(`${url}/test/messages/a`)).body as { messages: { message: string }[] };
  expect([messages.length, messages[0]?.message]).toEqual([10_000, "10"]);
  for (let at = 0; at < 20; at++) await adapter.send("b", "x".repeat(1024 * 1024));
  const { messages: long } = (await ask(`${url}/test/messages/b`)).body as { messages: unknown[] };
  expect(long).toHaveLength(8);
});

test("a port that is taken is named", async () => {
  const { url } = await open();
  const port = Number(new URL(url).port);
  await expect(open({ port })).rejects.toMatchObject({
    code: "HTTP_LISTEN",
    message: expect.stringContaining(`127.0.0.1:${port}`) as string,
  });
  adapters.pop();
});
