import { openClient, serverParts, type TestClient, type ToolReply } from "../process/mcp-client.ts";
import { openTestEngine } from "./test-engine.ts";
import type { Call } from "./whole-data.ts";

export interface AtCalled {
  readonly call: TestClient["call"];
  readonly run: string;
  /** Shows the first step of what is called. */
  readonly reply: ToolReply;
  /** One more conversation on the same runs. */
  readonly another: () => Promise<TestClient["call"]>;
}

/** Starts `outer` of these files and does its entries, up to the first step of what it calls. `opened` gets what must be closed. */
export async function toCalled(files: Readonly<Record<string, string>>, opened: { close(): Promise<void> }[]): Promise<AtCalled> {
  const engine = await openTestEngine(files);
  opened.push(engine);
  const another = async (): Promise<TestClient["call"]> => {
    const client = await openClient({ context: engine.context, ...serverParts, toolsets: ["seed"] });
    opened.push(client);
    return client.call;
  };
  const call = await another();
  let reply = await call("workflow_start", { workflow: "outer" });
  const run = reply.data.run_id as string;
  for (let turn = 0; turn < 10 && reply.data.step === undefined; turn += 1) {
    const { tool, arguments: args } = reply.data.next_call as Call;
    reply = await call(tool, { ...args, ...(reply.data.fill_in === undefined ? {} : { status: "completed", result: "read" }) });
  }
  return { call, run, reply, another };
}

/** Sends what a reply says, with what is filled in. */
export function sent(call: TestClient["call"], { data }: ToolReply, filled: object = {}): Promise<ToolReply> {
  return call(data.next_call.tool, { ...data.next_call.arguments, ...filled });
}
