import { readFile, stat } from "node:fs/promises";
import { request as httpRequest } from "node:http";
import { join } from "node:path";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterEach, describe, expect, test } from "vitest";
import {
  connect,
  makeClient,
  openWorld,
  serverParts,
  type McpWorld,
  type Mode,
  type TestClient,
  type User,
} from "../../test/process/mcp-client.ts";
import { engineCodes } from "../engine/index.ts";
import { mcpCodes } from "../mcp/index.ts";
import { httpCodes } from "./codes.ts";
import { serveHttp, type HttpService } from "./serve-http.ts";
import { handedOut } from "../../test/support/handed-out.ts";

let world: McpWorld | undefined;
let service: HttpService | undefined;
afterEach(async () => {
  await service?.close();
  service = undefined;
  await world?.close();
  world = undefined;
});

const gate = `
steps:
  - { id: ship, type: user_input, prompt: "Ship it?", answer_by: person, options: [{ value: "yes" }, { value: "no" }], state_update: { path: raw.ship } }
  - { id: tell, type: user_message, message: "{{ ship }}" }
`;

const commands = Array.from({ length: 123 }, (_, at) => `- node scripts/check-${at}.mjs --all`);
const prompt = JSON.stringify(["May these commands run?", ...commands].join("\n"));
const long = `steps: [{ id: allow, type: user_input, answer_by: person, prompt: ${prompt} }]\n`;

interface Served {
  readonly url: string;
  readonly agent: string;
  readonly person: string;
  readonly client: (mode: Mode, user?: User) => Promise<TestClient>;
}

async function serve(): Promise<Served> {
  world = await openWorld({ "demo:gate": gate, "demo:long": long });
  service = await serveHttp({
    context: world.engine.context,
    ...serverParts,

    folder: join(world.engine.folder, "../servers"),
  });
  const address = JSON.parse(await readFile(service.file, "utf8")) as Record<string, string>;
  const agent = address["agent_token"] ?? "";
  return {
    url: service.url,
    agent,
    person: address["person_token"] ?? "",
    client: (mode, user) =>
      connect(
        makeClient(mode, user),
        new StreamableHTTPClientTransport(new URL(address["mcp_url"] ?? ""), {
          requestInit: { headers: { authorization: `Bearer ${agent}` } },
        }),
      ),
  };
}

function bearer(token: string): { headers: Record<string, string> } {
  return { headers: { authorization: `Bearer ${token}`, "content-type": "application/json" } };
}

/** `fetch` sets Host by itself, so a foreign one needs the plain client. */
function statusWith(url: string, headers: Record<string, string>): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest(url, { headers }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    sent.on("error", reject);
    sent.end();
  });
}

describe("who may ask", () => {
  test("nobody without a valid token", async () => {
    const { url, agent } = await serve();
    for (const headers of [
      {},
      { authorization: "Bearer wrong" },
      { authorization: `Basic ${agent}` },
      { authorization: `Bearer ${agent}x` },
      { authorization: "Bearer " },
    ]) {
      for (const path of ["/mcp", "/api/runs", "/api/status", "/api/decide", "/anything"]) {
        const response = await fetch(`${url}${path}`, { headers });
        expect(response.status, path).toBe(401);
        expect(response.headers.get("www-authenticate")).toContain("Bearer");
        expect(await response.json()).toMatchObject({ code: "HTTP_NO_TOKEN", fix: expect.any(String) });
      }
    }
  });

  test("no page of another site and no name that was pointed here", async () => {
    const { url, agent } = await serve();
    const authorization = `Bearer ${agent}`;
    for (const path of ["/mcp", "/api/runs"]) {
      expect(await statusWith(`${url}${path}`, { authorization, host: "evil.example" })).toBe(403);
      expect(await statusWith(`${url}${path}`, { authorization, origin: "http://evil.example" })).toBe(403);
      expect(await statusWith(`${url}${path}`, { authorization, origin: "null" })).toBe(403);
    }
    expect(await statusWith(`${url}/api/runs`, { authorization, origin: "http://localhost:3000" })).toBe(200);
  });

  test("the file with the tokens is for its user only and goes with the server", async () => {
    const { url } = await serve();
    const { file } = service!;
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(JSON.parse(await readFile(file, "utf8"))).toMatchObject({ url, mcp_url: `${url}/mcp`, pid: process.pid });
    await service!.close();
    service = undefined;
    await expect(stat(file)).rejects.toMatchObject({ code: "ENOENT" });
    await expect(fetch(url)).rejects.toBeInstanceOf(TypeError);
  });
});

describe("people", () => {
  test("see the whole of a question before they answer it", async () => {
    const { url, person, client } = await serve();
    const mcp = await client("legacy");
    const { run_id } = (await mcp.call("workflow_start", { workflow: "demo:long" })).data;
    const status: unknown = await (await fetch(`${url}/api/status?run_id=${run_id}`, bearer(person))).json();
    expect(status).toMatchObject({ questions: [{ question: expect.stringContaining("check-122") }] });
    expect((await mcp.call("workflow_status", { run_id })).data.questions[0].question).toMatch(/characters\)$/);
  });

  test("see runs and their questions, and their answer counts as a person's", async () => {
    const { url, agent, person, client } = await serve();
    const mcp = await client("legacy");
    const { run_id, action_id } = (await mcp.call("workflow_start", { workflow: "demo:gate" })).data;
    expect(await (await fetch(`${url}/api/runs`, bearer(person))).json()).toMatchObject({ runs: [{ run_id, status: "running" }] });
    expect(await (await fetch(`${url}/api/status`, bearer(agent))).json()).toMatchObject({ open_runs: [{ run_id }] });
    expect(await (await fetch(`${url}/api/status?run_id=${run_id}`, bearer(person))).json()).toMatchObject({
      run_id,
      questions: [{ decision_id: action_id, question: "Ship it?" }],
    });

    const body = JSON.stringify({ run_id, decision_id: action_id, answer: "yes" });
    const refused = await fetch(`${url}/api/decide`, { method: "POST", body, ...bearer(agent) });
    expect([refused.status, ((await refused.json()) as { code: string }).code]).toEqual([403, "HTTP_PERSON_TOKEN"]);
    const answered = await fetch(`${url}/api/decide`, { method: "POST", body, ...bearer(person) });
    expect(await answered.json()).toEqual({ recorded: "now", run_id, decision_id: action_id, answer: "yes" });
    expect(await (await fetch(`${url}/api/decide`, { method: "POST", body, ...bearer(person) })).json()).toMatchObject({
      recorded: "before",
    });
    expect((await mcp.call("workflow_next", { run_id })).data).toMatchObject({
      step: { id: handedOut("tell"), definition: { message: "yes" } },
    });
    const records = await world!.engine.context.store.readRecords(run_id, 0, 100);
    expect(records.find((record) => record.cause === "answer")?.actor).toMatchObject({ kind: "person", surface: "http" });
    await mcp.close();
  });

  test("are told what is wrong with a request", async () => {
    const { url, person } = await serve();
    const decide = async (body: string, headers: Record<string, string> = bearer(person).headers): Promise<unknown[]> => {
      const response = await fetch(`${url}/api/decide`, { method: "POST", body, headers });
      expect(response.headers.get("content-type")).toBe("application/problem+json");
      return [response.status, ((await response.json()) as { code: string }).code];
    };
    expect(await decide("{")).toEqual([400, "HTTP_BODY"]);
    expect(await decide("[]")).toEqual([400, "HTTP_BODY"]);
    expect(await decide('{"run_id":"x","decision_id":"y"}')).toEqual([400, "HTTP_BODY"]);
    expect(await decide("{}", { authorization: `Bearer ${person}`, "content-type": "text/plain" })).toEqual([400, "HTTP_BODY"]);
    expect(await decide(JSON.stringify({ run_id: "x".repeat(2 * 1024 * 1024) }))).toEqual([400, "HTTP_BODY"]);
    expect(await decide('{"run_id":"wf-x","decision_id":"y","answer":1}')).toEqual([404, "ENGINE_NO_RUN"]);
    const wrong = await fetch(`${url}/api/decide`, bearer(person));
    expect([wrong.status, wrong.headers.get("allow")]).toEqual([405, "POST"]);
    expect((await fetch(`${url}/api/none`, bearer(person))).status).toBe(404);
  });
});

describe.each(["legacy", "auto", "modern"] as const)("an agent over HTTP in %s mode", (mode) => {
  test("drives a run; every request is the same holder", async () => {
    const { client, url, person } = await serve();
    const mcp = await client(mode);
    expect((await mcp.client.listTools()).tools).toHaveLength(15);
    const { run_id, action_id } = (await mcp.call("workflow_start", { workflow: "demo:gate" })).data;
    expect((await mcp.call("workflow_next", { run_id })).data.action_id).toBe(action_id);
    const body = JSON.stringify({ run_id, decision_id: action_id, answer: "no" });
    await fetch(`${url}/api/decide`, { method: "POST", body, ...bearer(person) });
    const tell = await mcp.call("workflow_next", { run_id });
    expect(tell.data.step.definition.message).toBe("no");
    expect((await mcp.call("workflow_progress", { run_id, action_id: tell.data.action_id })).data.status).toBe("completed");
    await mcp.close();
  });
});

test("a modern client's user is asked over HTTP, a legacy one's cannot be", async () => {
  const { client } = await serve();
  const user: User = () => ({ action: "accept", content: { answer: "yes" } });
  const modern = await client("modern", user);
  const first = (await modern.call("workflow_start", { workflow: "demo:gate" })).data;
  expect((await modern.call("workflow_decide", { run_id: first.run_id })).data).toMatchObject({
    recorded: "now",
    step: { id: handedOut("tell") },
  });
  const legacy = await client("legacy", user);
  const second = (await legacy.call("workflow_start", { workflow: "demo:gate" })).data;
  expect(await legacy.call("workflow_decide", { run_id: second.run_id })).toMatchObject({
    isError: true,
    data: { error: { code: "DECISION_FOR_PERSON" } },
  });
  await modern.close();
  await legacy.close();
});

test("a port that is taken and a folder that cannot be made are refused, and nothing stays open", async () => {
  const { url } = await serve();
  const options = { context: world!.engine.context, ...serverParts, folder: join(world!.engine.folder, "../servers") };
  await expect(serveHttp({ ...options, port: Number(new URL(url).port) })).rejects.toMatchObject({ code: "HTTP_LISTEN" });
  await expect(serveHttp({ ...options, folder: join(service!.file, "below-a-file") })).rejects.toMatchObject({ code: "HTTP_ADDRESS_FILE" });
  await expect(serveHttp({ ...options, toolsets: ["nonsense"] })).rejects.toMatchObject({ code: "MCP_UNKNOWN_TOOLSET" });
});

test.each(["legacy", "modern"] as const)("closing ends a call of the %s era that is still waiting", async (mode) => {
  const { client } = await serve();
  await world!.engine.write(
    ".waymark/workflows/demo__slow.yaml",
    `name: demo:slow\nsteps: [{ id: wait, type: shell_command, command: "sleep 20" }]\n`,
  );
  await world!.engine.allow("demo:slow");
  const mcp = await client(mode);
  const waiting = mcp.call("workflow_start", { workflow: "demo:slow" }).catch((error: unknown) => error);
  while ((await mcp.call("workflow_status")).data.runs.length === 0);
  await service!.close();
  service = undefined;
  expect(await waiting).toBeInstanceOf(Error);
  await world!.engine.host.close();
});

test("codes do not clash with those of other rooms", () => {
  expect(Object.keys(httpCodes).filter((code) => code in engineCodes || code in mcpCodes)).toEqual([]);
  for (const [code, entry] of Object.entries(httpCodes))
    expect([code, entry.what !== "", entry.why !== "", entry.fix !== ""]).toEqual([code, true, true, true]);
});
