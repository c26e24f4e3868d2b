import type { Child } from "../process/mcp-package.ts";

interface SentMessage {
  readonly conversationId: string;
  readonly message: string;
  readonly timestamp: string;
  readonly direction: string;
}

interface Posted {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

/** What `curl` would ask the test adapter, by the address that the command printed. */
export interface TestAdapterClient {
  readonly url: string;
  readonly post: (conversationId: string, message: string, more?: object) => Promise<Posted>;
  readonly messages: (conversationId: string) => Promise<readonly string[]>;
  readonly get: (path: string) => Promise<Record<string, unknown>>;
}

export async function testAdapterOf(child: Child): Promise<TestAdapterClient> {
  const url = await child.says(/http:\/\/127\.0\.0\.1:\d+/);
  const json = { "content-type": "application/json" };
  const get = async (path: string): Promise<Record<string, unknown>> =>
    (await (await fetch(`${url}${path}`)).json()) as Record<string, unknown>;
  return {
    url,
    get,
    post: async (conversationId, message, more = {}) => {
      const body = JSON.stringify({ conversationId, message, ...more });
      const response = await fetch(`${url}/test/message`, { method: "POST", headers: json, body });
      return { status: response.status, body: (await response.json()) as Record<string, unknown> };
    },
    messages: async (conversationId) => {
      const { messages } = await get(`/test/messages/${conversationId}`);
      return (messages as readonly SentMessage[]).map(({ message }) => message);
    },
  };
}
