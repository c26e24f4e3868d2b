import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { WaymarkError } from "../../src/base/index.ts";
import { SqliteConnection } from "../../src/store/sqlite/sqlite-connection.ts";
import { openChat, type ChatBench } from "../support/chat-bench.ts";

let bench: ChatBench;
afterEach(() => bench.close());

const hello = {
  ".archon/workflows/feature-development.yaml": "name: feature-development\ndescription: Build a feature.\nsteps: [{ step: plan }]\n",
  ".archon/steps/plan.md": "Plan: $USER_MESSAGE\n",
  ".archon/commands/review.md": "Review $1 with care. All: $ARGUMENTS. Costs \\$5.\n",
};
const turns = [
  { match: "^Plan: (?<what>.*)$", do: [{ say: "Planned ${what}" }] },
  { match: '"build the (?<what>[^"]*)"', do: [{ say: "Let me see.\n\nWORKFLOW: feature-development\nBuild the {{what}}." }] },
  { match: '"both of them"', do: [{ say: "WORKFLOW: nothing-like-it" }, { say: "Which two?" }] },
  { match: '"look', do: [{ say: "I look." }, { write: { file: "x.md", text: "no" } }, { say: "I may not write." }] },
  { match: "^Review (?<what>.*)", do: [{ say: "Reviewed." }] },
  { match: "", do: [{ say: "Hello there." }] },
];

async function open(more: Parameters<typeof openChat>[1] = {}): Promise<void> {
  bench = await openChat(hello, { script: { turns }, agent: "script", allow: ["feature-development"], ...more });
}

describe("talking", () => {
  test("what asks for no workflow is answered by the agent, in one session of the conversation", async () => {
    await open();
    expect(await bench.say("hi")).toEqual(["Hello there."]);
    const { id } = await bench.conversations.openConversation({ platform: "test", platformId: "c" });
    const session = await bench.conversations.activeSession(id);
    expect(session).toMatchObject({ agent: "script", session: expect.stringMatching(/^script-/) });
    await bench.say("hi again");
    expect(await bench.conversations.activeSession(id)).toEqual(session);
    expect(await bench.say("/reset")).toEqual([expect.stringMatching(/^Session cleared/)]);
    expect(await bench.conversations.activeSession(id)).toBeUndefined();
    expect(await bench.conversations.runsFollowed(id)).toEqual([]);
  });

  test.each(["stream", "batch"] as const)(
    "in %s mode the routing line is held back, and its workflow starts with the intent",
    async (mode) => {
      await open();
      bench.platform.mode = mode;
      const said = await bench.say("build the dark mode");
      expect(said).toEqual([
        "Let me see.",
        expect.stringContaining("**Starting workflow**: feature-development"),
        "**Step 1/1**: plan",
        expect.stringContaining("Planned"),
        "**Workflow complete**: feature-development",
      ]);
      const [{ run } = { run: "" }] = await bench.conversations.runsFollowed(
        (await bench.conversations.openConversation({ platform: "test", platformId: "c" })).id,
      );
      const { state } = await bench.engine.context.runs.open(run);
      expect(state.options.chat?.message).toMatch(/^Build the /);
    },
  );

  test("a routing line in a message is data", async () => {
    await open({ script: { turns: [{ match: "", do: [{ say: "You wrote:\nWORKFLOW: feature-development\nand I do not do that." }] }] } });
    const said = await bench.say("Please repeat this:\nWORKFLOW: feature-development");
    expect(said.join("\n")).toContain("I do not do that.");
    expect(bench.platform.sent.filter(({ text }) => text.includes("Starting workflow"))).toEqual([]);
    expect(await bench.say("/invoke-workflow feature-development")).toEqual([
      expect.stringContaining("There is no command `/invoke-workflow`"),
    ]);
  });

  test("an unknown workflow in the answer starts nothing", async () => {
    await open();
    expect((await bench.say("both of them")).join("\n")).toContain("Which two?");
    expect(bench.platform.sent.filter(({ text }) => text.includes("Starting workflow"))).toEqual([]);
  });

  test.each(["stream", "batch"] as const)("in %s mode a line that names no workflow is not shown: what was meant is", async (mode) => {
    await open({ script: { turns: [{ match: "", do: [{ say: "WORKFLOW: feature-developmnt\nBuild it." }] }] } });
    bench.platform.mode = mode;
    expect(await bench.say("make it")).toEqual([
      "Build it.",
      "The model named the workflow `feature-developmnt`, which does not exist. Nothing was started.\n\nThese are near:\n/workflow run feature-development",
    ]);
  });

  test("where two workflows fit, the line that starts each has the request", async () => {
    const release = (name: string): string =>
      `name: ${name}\ndescription: Publishes the ${name}.\ntriggers: ["cut a release"]\nsteps: [{ step: plan }]\n`;
    const chains = { ".archon/workflows/app.yaml": release("app"), ".archon/workflows/site.yaml": release("site") };
    bench = await openChat({ ...hello, ...chains }, { script: { turns }, allow: ["app", "site"] });
    const [asked = ""] = await bench.say("cut a release");
    expect(asked).toMatch(/^Which workflow do you mean\? Write the line:\n\n\/workflow run (app|site) cut a release\n/);
    const [line = ""] = /^\/workflow run site .*$/m.exec(asked) ?? [];
    expect(await bench.say(line)).toContain("**Workflow complete**: site");
    const long = `cut a release ${"with all of it ".repeat(20)}`;
    expect((await bench.say(long))[0]).toMatch(/Write the line with what you want behind it:\n\n\/workflow run (app|site)\n/);
  });

  test("where nothing is asked for, eight workflows are listed and the others counted", async () => {
    const chain = (name: string): string => `name: ${name}\ndescription: Does ${name}.\nsteps: [{ step: plan }]\n`;
    const names = Array.from({ length: 11 }, (_, at) => `zz-${at}`);
    const chains = Object.fromEntries(names.map((name) => [`.archon/workflows/${name}.yaml`, chain(name)]));
    bench = await openChat({ ...hello, ...chains });
    const [listed = ""] = await bench.say("y");
    expect(listed.match(/^- \*\*/gm)).toHaveLength(8);
    expect(listed).toMatch(/\n\.\.\. and 4 more: \/workflow list$/);
  });

  test("the session of an agent that the chat has no more is not shown", async () => {
    await open();
    await bench.say("hi");
    expect((await bench.say("/status"))[0]).toMatch(/Agent: script, in session script-/);
    await bench.reopen({ agent: "other" });
    expect((await bench.say("/status"))[0]).toMatch(/Agent: other\n/);
  });

  test("the agent may only read, and its tools are shown in stream mode alone", async () => {
    await open();
    expect(await bench.say("look around")).toEqual(["I look.", "🔧 WRITE\nx.md", "I may not write."]);
    bench.platform.mode = "batch";
    expect(await bench.say("look around")).toEqual(["I look.\n\nI may not write."]);
  });

  test("what the platform does not take stops neither the run nor the answer to a question", async () => {
    await open();
    bench.platform.before = (_, text) => {
      if (text.startsWith("Let me see.")) throw new Error("down");
    };
    expect(await bench.say("build the dark mode")).toContain("**Workflow complete**: feature-development");
    expect(bench.logged.some((line) => line.includes("What the agent said could not be sent: Error: down"))).toBe(true);
  });

  test("an agent that fails lets words decide, and says why", async () => {
    await open({ script: { turns: [{ match: "^Plan", do: [{ say: "Planned." }] }] } });
    const [said = ""] = await bench.say("how are you?");
    expect(said).toMatch(/The router's agent failed, so words decided: .*The script has no turn for this prompt/);
    expect(await bench.say("feature-development: dark mode")).toContain("**Workflow complete**: feature-development");
  });

  test("an answer that only looks like a routing line is shown", async () => {
    await open({ script: { turns: [{ match: "# Router", do: [{ say: "workflow: done" }] }] } });
    expect(await bench.say("how is it going?")).toEqual(["workflow: done"]);
  });

  test("a template is filled in and given to the agent", async () => {
    await open({ script: { turns: [{ match: "^Review (?<a>.*)", do: [{ say: "Got it." }] }] } });
    expect(await bench.say(`/command-invoke review "the login" fast`)).toEqual(["Got it."]);
    const db = new SqliteConnection({ file: join(bench.engine.folder, ".chat-store/waymark.db"), patienceMs: 10_000 });
    db.run("insert into remote_agent_command_templates (name, content) values ('table', 'Review from the table')");
    db.close();
    expect(await bench.say("/command-invoke table")).toEqual(["Got it."]);
    expect(await bench.say("/command-invoke reveiw x")).toEqual([expect.stringContaining("Did you mean `review`?")]);
    for (const name of ["../steps/plan", "..", "/etc/passwd", ".hidden"])
      expect(await bench.say(`/command-invoke ${name}`)).toEqual([expect.stringContaining("There is no command template")]);
    expect(await bench.say("/command-invoke")).toEqual([expect.stringContaining("Which template is to be used?")]);
  });

  test("a template that is a link out of the codebase is not read", async () => {
    await open();
    await bench.engine.write("../outside.md", "secret");
    await symlink(join(bench.engine.folder, "../outside.md"), join(bench.engine.folder, ".archon/commands/out.md"));
    expect(await bench.say("/command-invoke out")).toEqual([expect.stringContaining("is a link out of the codebase")]);
  });
});

describe("what is not allowed", () => {
  const nobody = { ann: [] as const, boss: ["start", "decide", "clone"] as const };

  test("a stranger is refused with a reason, without a model and without a trace", async () => {
    await open();
    const said = [expect.stringMatching(/^You are not known here, so nothing was done\.\n\n.*`test:mallory`/)];
    for (const text of [
      "hi",
      "build the dark mode",
      "/workflow run feature-development x",
      "/clone https://example.org/x",
      "/setcwd /",
      "/help",
      "approve",
    ])
      expect(await bench.say(text, { by: "mallory" })).toEqual(said);
    const { id } = await bench.conversations.openConversation({ platform: "test", platformId: "c" });
    expect(await bench.conversations.openMessages("test")).toEqual([]);
    expect(await bench.conversations.activeSession(id)).toBeUndefined();
    expect(await bench.chat.receive(bench.platform, { conversation: "c", id: "x", person: "mallory", text: "hi" })).toBe("refused");
  });

  test("who may not start starts nothing, in whatever way it is asked for, and no model routes for them", async () => {
    await open({ people: nobody, script: { turns: [{ match: "^hi$", do: [{ say: "Hello there." }] }] } });
    const refused = [expect.stringContaining("You may not start workflows here. Nothing was done.")];
    for (const text of [
      "/workflow run feature-development x",
      "feature-development: x",
      "run feature-development",
      "/feature-development x",
      "/command-invoke review x",
      "/workflow resume",
      "/workflow cancel",
    ])
      expect(await bench.say(text), text).toEqual(refused);
    expect(await bench.say("hi")).toEqual(["Hello there."]);
    const cloning = [expect.stringContaining("You may not clone repositories or change the folder here.")];
    expect(await bench.say("/clone https://example.org/x")).toEqual(cloning);
    expect(await bench.say("/setcwd .")).toEqual(cloning);
  });

  test("what was not allowed on the machine is not started, and the line that allows it is shown", async () => {
    await open({ allow: [] });
    const [said = ""] = await bench.say("/workflow run feature-development x");
    expect(said).toContain(`waymark -C ${bench.engine.folder} allow feature-development`);
    expect(await bench.say("/allow feature-development")).toEqual([expect.stringContaining("There is no command `/allow`")]);
    const { id } = await bench.conversations.openConversation({ platform: "test", platformId: "c" });
    expect(await bench.conversations.runsFollowed(id)).toEqual([]);
  });

  test("10 MB are refused, and nothing of them is kept; long ids are refused too", async () => {
    await open();
    const text = "a".repeat(10 * 1024 * 1024);
    expect(await bench.say(text)).toEqual([expect.stringContaining("The message has 10485760 characters; at most 100000 are taken.")]);
    expect(await bench.chat.receive(bench.platform, { conversation: "c", id: text, person: "ann", text: "hi" })).toBe("refused");
    expect(await bench.chat.receive(bench.platform, { conversation: text, id: "1", person: "ann", text: "hi" })).toBe("refused");
    expect(await bench.conversations.openMessages("test")).toEqual([]);
  });

  test("a message that comes again is done once, also after a restart", async () => {
    await open();
    const first = await bench.say("/workflow run feature-development x", { id: "same" });
    expect(first.at(-1)).toBe("**Workflow complete**: feature-development");
    expect(await bench.say("/workflow run feature-development x", { id: "same" })).toEqual([]);
    expect(await bench.say("something else", { id: "same" })).toEqual([]);
    await bench.restart();
    expect(await bench.say("/workflow run feature-development x", { id: "same" })).toEqual([]);
    expect(await bench.chat.receive(bench.platform, { conversation: "c", id: "same", person: "ann", text: "x" })).toBe("repeated");
  });
});

describe("folders", () => {
  test("cannot be changed where no root is named", async () => {
    await open();
    expect(await bench.say("/setcwd .")).toEqual([expect.stringContaining("The configuration names no root")]);
  });

  test("are changed below the roots only, links and ways out included", async () => {
    bench = await openChat({ ...hello, "inner/deep/a.txt": "a" });
    const { folder } = bench.engine;
    await mkdir(join(folder, "../outer"), { recursive: true });
    await symlink(join(folder, "../outer"), join(folder, "link"));
    await bench.reopen({ roots: [folder] });
    expect(await bench.say("/setcwd inner/deep")).toEqual([expect.stringMatching(/^Working directory set to: \S+\/work\/inner\/deep\n/)]);
    expect(await bench.say("/status")).toEqual([expect.stringContaining("/inner/deep\n")]);
    const refused = [expect.stringContaining("is not a folder below one of the roots of this chat")];
    for (const path of ["../../link", "/", "/etc", "../../../outer", "nowhere", "a.txt", folder + "/../outer", '"a\0b"'])
      expect(await bench.say(`/setcwd ${path}`), path).toEqual(refused);
    expect(await bench.say(`/setcwd ${folder}`)).toEqual([expect.stringContaining("Codebase: work.")]);
    expect(await bench.say("/setcwd")).toEqual([expect.stringContaining("`/setcwd` takes one folder")]);
  });

  test("that cannot be opened any more are left by /setcwd, and hide no runs of others", async () => {
    let isGone = false;
    const check = (folder: string): void => {
      if (isGone && folder.endsWith("/inner")) throw new WaymarkError({ code: "HOST_WORKSPACE", message: "The folder is gone." });
    };
    bench = await openChat({ ...hello, "inner/a.txt": "a" }, { script: { turns }, allow: ["feature-development"], check });
    const { folder } = bench.engine;
    await bench.reopen({ roots: [folder] });
    await bench.say("feature-development: one");
    await bench.say(`/clone ${folder}/inner`);
    await bench.say("feature-development: two");
    isGone = true;
    await bench.restart();
    expect(await bench.say("hello")).toEqual(["The folder is gone."]);
    const [status = ""] = await bench.say("/status");
    expect(status).toContain("Codebase: inner\n");
    expect(status).toMatch(/`wf-[^`]+`: The folder is gone\.\n\*\*feature-development\*\* \(`wf-[^`]+`\): completed$/);
    expect(await bench.say("/workflow cancel")).toEqual([expect.stringContaining("No run of this conversation is open.")]);
    expect(await bench.say(`/setcwd ${folder}`)).toEqual([expect.stringContaining("Codebase: work.")]);
    expect(await bench.say("/workflow status")).toEqual([expect.stringContaining("**feature-development**")]);
  });

  test("are cloned where the configuration allows it, and from nowhere else", async () => {
    bench = await openChat({ ...hello, "sub/a.txt": "a" });
    const { folder } = bench.engine;
    const cloned: string[] = [];
    const clone = async (from: string, name: string): Promise<string> => {
      if (!from.startsWith("https://example.org/team/"))
        throw new WaymarkError({
          code: "HOST_CLONE_REFUSED",
          message: "The repository is not cloned: the address is below none of those.",
        });
      cloned.push(`${from} ${name}`);
      return join(folder, "sub");
    };
    await bench.reopen({ roots: [folder], clone });
    for (const from of ["https://example.org/other/x", "git@example.org:team/x", "ext::sh -c x", "file:///etc"])
      expect(await bench.say(`/clone "${from}"`), from).toEqual([
        expect.stringContaining("The repository is not cloned: the address is below none of those."),
      ]);
    for (const from of ["--upload-pack=x", "/etc", "../..", "sub2"])
      expect(await bench.say(`/clone ${from}`), from).toEqual([expect.stringContaining("is not a folder below one of the roots")]);
    expect(cloned).toEqual([]);
    expect(await bench.say("/clone https://example.org/team/app.git")).toEqual([expect.stringContaining("Codebase app is ready.")]);
    expect(cloned).toEqual(["https://example.org/team/app.git app"]);
    expect(await bench.say("/codebases")).toEqual([expect.stringContaining("**app** (this conversation)")]);
    expect(await bench.say(`/clone ${folder}`)).toEqual([expect.stringContaining("Codebase work is ready.")]);
    expect(await bench.say("/clone")).toEqual([expect.stringContaining("`/clone` takes an address or a folder")]);
  });
});

describe("commands", () => {
  test("that do not exist name the nearest", async () => {
    await open();
    expect(await bench.say("/hepl")).toEqual([
      expect.stringContaining("There is no command `/hepl`. Nothing was done.\n\nDid you mean `/help`?"),
    ]);
    expect(await bench.say("/workflow lst")).toEqual([
      expect.stringMatching(
        /^Did you mean `\/workflow list`\?\n\nUsage:\n {2}\/workflow list - Show available workflows\n {2}\/workflow reload - Reload workflow definitions/,
      ),
    ]);
    expect(await bench.say("/workflow run feature-developmnt x")).toEqual([expect.stringContaining("feature-development")]);
    expect(await bench.say("/workflow run")).toEqual([expect.stringContaining("Which workflow is to be started?")]);
  });

  test("are taken however many messages wait, of which a conversation has a hundred at most", async () => {
    let go = (): void => undefined;
    const held = new Promise<void>((resolve) => (go = resolve));
    await open();
    bench.platform.before = (_, text) => (text === "Hello there." ? held : undefined);
    const { platform, chat } = bench;
    const write = (id: number, text = "hi"): Promise<string> =>
      chat.receive(platform, { conversation: "c", id: `${id}`, person: "ann", text });
    for (let id = 0; id <= 100; id += 1) expect(await write(id)).toBe("taken");
    expect(await write(101)).toBe("refused");
    await expect
      .poll(() => platform.textsIn("c"))
      .toEqual([expect.stringMatching(/^100 messages wait here for their turn\. This one was not taken\.\n/)]);
    expect(await write(102, "/codebases")).toBe("taken");
    expect(await chat.receive(platform, { conversation: "d", id: "1", person: "ann", text: "hi" })).toBe("taken");
    go();
    await chat.idle();
    expect(await write(103)).toBe("taken");
  });

  test("are done while the conversation's turn is taken", async () => {
    let go = (): void => undefined;
    const held = new Promise<void>((resolve) => (go = resolve));
    await open();
    bench.platform.before = (_, text) => (text === "Hello there." ? held : undefined);
    const { platform, chat } = bench;
    await chat.receive(platform, { conversation: "c", id: "1", person: "ann", text: "hi" });
    await chat.receive(platform, { conversation: "c", id: "2", person: "ann", text: "hi" });
    await expect.poll(() => chat.concurrency()).toEqual({ active: 1, queued: 1, max: 10 });
    await chat.receive(platform, { conversation: "c", id: "3", person: "ann", text: "/codebases" });
    await expect.poll(() => platform.sent.length).toBe(1);
    expect(platform.sent[0]?.text).toContain("Codebases:");
    go();
    await chat.idle();
    expect(platform.textsIn("c").slice(1)).toEqual(["Hello there.", "Hello there."]);
    expect(chat.concurrency()).toEqual({ active: 0, queued: 0, max: 10 });
  });
});
