import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openRunner } from "../../src/bin/open-runner.ts";
import { createChat, type Platform } from "../../src/chat/index.ts";
import { chatLines } from "../../src/cli/chat-lines.ts";
import { requirePermission, runs } from "../../src/engine/index.ts";
import { systemAlarms } from "../../src/host/index.ts";
import type { Conversations } from "../../src/ports/index.ts";
import { sqliteConversations } from "../../src/store/index.ts";
import { createWorkspace } from "../../src/workspace/index.ts";
import { around } from "./around.ts";
import { DriverPoints, runHere, type DriverTask } from "./driver-points.ts";

export interface ChatTask extends DriverTask {
  readonly mode: "stream" | "batch";
}

/** Written when the conversation came to its end here. */
export interface ChatEnd {
  readonly points: number;
  readonly runs: number;
  readonly open: number;
}

const points = new DriverPoints<ChatTask>();
const { task, replace } = points;
const workspace = join(task.base, "work");
const sentLog = join(task.base, "sent.log");

function sentTexts(): readonly string[] {
  if (!existsSync(sentLog)) return [];
  return readFileSync(sentLog, "utf8")
    .trim()
    .split("\n")
    .map((line) => (JSON.parse(line) as { readonly text: string }).text);
}

/** The platform keeps what is sent to it in one write, which a kill cannot cut. */
const platform: Platform = {
  getPlatformType: () => "kept",
  getStreamingMode: () => task.mode,
  ensureThread: (id) => Promise.resolve(id),
  start: () => Promise.resolve(),
  stop: () => Promise.resolve(),
  send: async (_, given) => {
    let text = "";
    if (typeof given === "string") text = given;
    else for await (const piece of given) text += piece;
    points.point(`before sending ${text.slice(0, 30)}`);
    points.note("sent.log", { text });
    points.point(`after sending ${text.slice(0, 30)}`);
  },
};

const place = { workspace, replace };
const runner = await openRunner(place, process.env, () => Promise.resolve({}));
// The program of the scanning threads is not part of the bundle.
Object.assign(runner.context, { workspace: createWorkspace({ workers: 0 }) });
const kept = sqliteConversations({ folder: join(workspace, ".waymark", "store") });
const written: readonly (keyof Conversations)[] = [
  "openConversation",
  "keepCodebase",
  "keepSession",
  "takeMessage",
  "decideStart",
  "settleMessage",
  "followRun",
  "sentRun",
];
const conversations = around(kept, written, async (name, _args, call) => {
  points.point(`before ${name}`);
  const done = await call();
  points.point(`after ${name}`);
  return done;
});

const program = await runner.context.catalog.loadValid("ship");
await requirePermission(runner.context, program, { driven: true }).catch(async () => {
  await runHere({}, ["allow", "ship", "--yes"], true);
});

const chat = createChat({
  conversations,
  home: { name: "work", folder: workspace },
  open: () => Promise.resolve(runner),
  people: { of: (_, person) => ({ name: person, may: new Set(["start", "decide"]) }), deciders: () => ["ann"] },
  roots: [],
  clone: () => Promise.reject(new Error("nothing is cloned")),
  lines: chatLines({}),
  alarms: systemAlarms,
  log: (_, text) => points.note("logged.log", { text }),
});

await chat.join(platform);
const say = async (id: string, text: string): Promise<void> => {
  await chat.receive(platform, { conversation: "c", id, person: "ann", text });
  await chat.idle();
};
// The platform delivers again what it does not know to be taken.
await say("first", "ship: version 2");
for (let answer = 1; !sentTexts().includes("**Workflow complete**: ship") && answer < 6; answer += 1)
  await say(`answer ${process.pid} ${answer}`, "approve");
await chat.close();
const end: ChatEnd = {
  points: points.points,
  runs: (await runs(runner.context, {})).length,
  open: (await kept.openMessages("kept")).length,
};
await kept.close();
await runner.close();
writeFileSync(join(task.base, "end.json"), JSON.stringify(end));
