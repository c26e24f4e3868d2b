import { join } from "node:path";
import { expect } from "vitest";
import { bundleChild } from "./bundle-child.ts";
import type { ChatEnd, ChatTask } from "./chat-child.ts";
import { eachOf, inFolder, killed, linesOf, pointsOf, readTraces, runDriver } from "./driver-process.ts";

const files = {
  ".archon/workflows/ship.yaml": `name: ship
description: Ships a version.
nodes:
  - { id: write, prompt: "Write $ARGUMENTS" }
  - { id: check, approval: { message: "Ship it?" }, depends_on: [write] }
  - { id: publish, prompt: Publish it, depends_on: [check] }
`,
  "script.yaml": JSON.stringify({
    turns: [
      { match: "^Write", do: [{ say: "I write." }, { write: { file: "notes.md", text: "2" } }, { say: "Written." }] },
      { match: "^Publish", do: [{ say: "Published." }] },
      { match: "", do: [{ say: "Continued." }] },
    ],
  }),
};
const config = { agents: { scripted: { protocol: "script", file: "script.yaml", permission: "edit" } }, drive: { agent: "scripted" } };

const structure = [
  "**Starting workflow**: ship\n\nShips a version.\n\nSteps: write → check → publish",
  "**Node**: write",
  "**Node**: check",
  expect.stringMatching(/^\*\*Question\*\* from ship \(run `wf-ship-[^`]+`, `check`\)/),
  "**Node**: publish",
  "**Workflow complete**: ship",
];
const agents = ["I write.", "🔧 WRITE\nnotes.md", "Written.", "Published.", "Continued.", "I write.\n\nWritten."];
const replies = /^(?:Recorded for `check`|Waymark was restarted|`check` was answered before|No question is open|This asks for no workflow)/;

const texts = (base: string): readonly string[] => linesOf<{ text: string }>(join(base, "sent.log")).map(({ text }) => text);

/** Without what was sent again right after it. */
function withoutRepeats(sent: readonly string[]): { readonly once: readonly string[]; readonly repeats: number } {
  const once = sent.filter((text, at) => text !== sent[at - 1]);
  return { once, repeats: sent.length - once.length };
}

async function passed(
  program: string,
  mode: ChatTask["mode"],
  killAt: number,
): Promise<{ readonly end: ChatEnd; readonly where: string | undefined }> {
  return inFolder("chat", { files, script: {}, agent: "", config }, async (base) => {
    const task: ChatTask = { base, mode, killAt };
    const first = await runDriver(program, task);
    expect(["", killed]).toContain(first);
    expect(first === killed ? await runDriver(program, { ...task, killAt: 0 }) : "").toBe("");
    const { end, where, problems } = readTraces<ChatEnd>(base);
    const sent = texts(base).filter((text) => !replies.test(text));
    const { once, repeats } = withoutRepeats(sent);
    const at = `killed ${where ?? "never"}: ${JSON.stringify(sent)}`;
    expect(problems, at).toEqual([]);
    expect(
      once.filter((text) => !agents.includes(text)),
      at,
    ).toEqual(structure);
    expect(repeats, at).toBeLessThanOrEqual(first === killed ? 1 : 0);
    expect(once.filter((text) => text === "Published.").length, at).toBeLessThanOrEqual(1);
    expect(end, at).toMatchObject({ runs: 1, open: 0 });
    return { end: end!, where };
  });
}

/** A chat whose process is killed at every point where something is kept or sent, and started again; answers the places. */
export async function killChats(mode: ChatTask["mode"]): Promise<ReadonlySet<string>> {
  const program = await bundleChild("chat-child.ts");
  const { end } = await passed(program, mode, 0);
  expect(end.points).toBeGreaterThan(30);
  const where = new Set<string>();
  await eachOf(pointsOf(end.points, 1), 2, async (point) => {
    const killedAt = (await passed(program, mode, point)).where;
    if (killedAt !== undefined) where.add(killedAt);
  });
  return where;
}
