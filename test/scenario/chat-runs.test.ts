import { afterEach, expect, test } from "vitest";
import { WaymarkError } from "../../src/base/index.ts";
import type { AgentProvider } from "../../src/ports/index.ts";
import { DrivenTime } from "../support/driven-time.ts";
import { openChat, type ChatBench } from "../support/chat-bench.ts";

let bench: ChatBench;
afterEach(() => bench.close());

const chain = {
  ".archon/workflows/feature-development.yaml": `name: feature-development
description: Build a feature from plan to PR. Use when user wants to add new functionality.
steps:
  - step: plan
  - step: implement
    clearContext: true
  - step: create-pr
`,
  ".archon/steps/plan.md": "Plan: $USER_MESSAGE\n",
  ".archon/steps/implement.md": "Implement: $USER_MESSAGE\n",
  ".archon/steps/create-pr.md": "Create the PR.\n",
};

const worker = {
  turns: [
    { match: "^Plan: ", do: [{ say: "I plan." }, { write: { file: "plan.md", text: "1." } }, { say: "Planned." }] },
    { match: "^Implement: ", do: [{ say: "Implemented." }] },
    { match: "^Create the PR", do: [{ say: "Opened." }] },
  ],
};

test("a request starts the workflow, and its steps are shown to the end", async () => {
  bench = await openChat(chain, { script: worker, allow: ["feature-development"] });
  expect(await bench.say("Build a dark mode feature")).toEqual([
    "**Starting workflow**: feature-development\n\nBuild a feature from plan to PR. Use when user wants to add new functionality.\n\nSteps: plan → implement → create-pr",
    "**Step 1/3**: plan",
    "I plan.",
    "🔧 WRITE\nplan.md",
    "Planned.",
    "**Step 2/3**: implement",
    "Implemented.",
    "**Step 3/3**: create-pr",
    "Opened.",
    "**Workflow complete**: feature-development",
  ]);
});

test("with a workflow of its own a chat starts it for every message but those that name another one, or begin with `!`", async () => {
  const other = { ".archon/workflows/look-up.yaml": "name: look-up\ndescription: Look something up.\nsteps: [{ step: plan }]\n" };
  bench = await openChat(
    { ...chain, ...other },
    {
      script: worker,
      allow: ["feature-development", "look-up"],
      people: { ann: ["start"], bob: [] },
      parts: { workflow: "feature-development" },
    },
  );
  expect((await bench.say("The weather is nice"))[0]).toContain("**Starting workflow**: feature-development");
  expect((await bench.say("look-up: the weather"))[0]).toContain("**Starting workflow**: look-up");
  expect(await bench.say("!The weather is nice")).toEqual([expect.stringContaining("This asks for no workflow, so nothing was started.")]);
  expect((await bench.say("/status"))[0]).toContain("Codebase: work");
  // Who may start nothing is not refused for every word.
  expect(await bench.say("The weather is nice", { by: "bob" })).toEqual([expect.stringContaining("nothing was started")]);
});

test("a name that no workflow has starts nothing, and says nothing of the computer's folders", async () => {
  bench = await openChat(chain, { allow: ["feature-development"] });
  const list = "Write `/workflow list` for all.";
  expect(await bench.say("/workflow run feature-developmnt a filter")).toEqual([
    `There is no workflow \`feature-developmnt\`. Nothing was started.\n\nDid you mean \`feature-development\`? ${list}`,
  ]);
  expect(await bench.say("/workflow run qqqqqqq")).toEqual([`There is no workflow \`qqqqqqq\`. Nothing was started.\n\n${list}`]);
});

test("a step that comes twice is listed twice, and a long chain is listed whole", async () => {
  const steps = Array.from({ length: 34 }, (_, at) => (at % 2 === 0 ? "plan" : "implement"));
  const long = `name: long\ndescription: Long.\nsteps: [${steps.map((step) => `{ step: ${step} }`).join(", ")}]\n`;
  bench = await openChat({ ...chain, ".archon/workflows/long.yaml": long });
  const [list = ""] = await bench.say("/workflow list");
  expect(list).toContain(`**long**\n  Long.\n  Steps: ${steps.join(" → ")}\n\n`);
});

test("/help, /status and /workflow list need no agent", async () => {
  bench = await openChat(chain, { allow: ["feature-development"] });
  const [list = ""] = await bench.say("/workflow list");
  expect(list.startsWith("Available Workflows:\n\n")).toBe(true);
  expect(list).toContain(
    "**feature-development**\n  Build a feature from plan to PR. Use when user wants to add new functionality.\n  Steps: plan → implement → create-pr\n\n",
  );
  const [help = ""] = await bench.say("/help");
  expect(help).toContain(
    "Workflows:\n  /workflow list - Show available workflows\n  /workflow reload - Reload workflow definitions\n  Note: Workflows are YAML files in .archon/workflows/",
  );
  const [status = ""] = await bench.say("/status");
  expect(status).toContain("Codebase: work\n");
  expect(await bench.say("/workflow reload")).toEqual([expect.stringMatching(/^Reloaded \d+ workflow\(s\)\.$/)]);
});

test("/workflow list and reload read the files again, in the words of the format", async () => {
  bench = await openChat({});
  expect(await bench.say("/workflow ls")).toEqual(["No workflows found.\n\nCreate workflows in `.archon/workflows/` as YAML files."]);
  expect(await bench.say("/workflow reload")).toEqual(["Reloaded 0 workflow(s)."]);
  for (const [path, text] of Object.entries(chain)) await bench.engine.write(path, text);
  expect(await bench.say("/workflow reload")).toEqual(["Reloaded 1 workflow(s)."]);
  expect(await bench.say("/workflow ls")).toEqual([
    "Available Workflows:\n\n**feature-development**\n  Build a feature from plan to PR. Use when user wants to add new functionality.\n  Steps: plan → implement → create-pr\n\n",
  ]);
});

test("a conversation without a codebase is told so, in the words of the format", async () => {
  bench = await openChat(chain);
  await bench.conversations.openConversation({ platform: "test", platformId: "c" });
  for (const text of [
    "/workflow list",
    "/workflow reload",
    "/workflow",
    "/workflow run feature-development x",
    "Build a dark mode feature",
  ])
    expect(await bench.say(text), text).toEqual(["No codebase configured. Use /clone first."]);
});

test("in batch mode the texts of a step come together at its end, without tools", async () => {
  bench = await openChat(chain, { script: worker, allow: ["feature-development"] });
  bench.platform.mode = "batch";
  expect((await bench.say("feature-development: dark mode")).slice(1)).toEqual([
    "**Step 1/3**: plan",
    "I plan.\n\nPlanned.",
    "**Step 2/3**: implement",
    "Implemented.",
    "**Step 3/3**: create-pr",
    "Opened.",
    "**Workflow complete**: feature-development",
  ]);
});

test("a step that fails ends the run with its reason, and a resume continues there", async () => {
  const failing = {
    turns: [
      worker.turns[0],
      { match: "^Implement: ", times: 1, do: [{ say: "Hm." }], error: { kind: "refused", text: "I cannot do this." } },
      ...worker.turns.slice(1),
    ],
  };
  bench = await openChat(chain, { script: failing, allow: ["feature-development"] });
  const said = await bench.say("feature-development: dark mode");
  expect(said.slice(-3)).toEqual([
    "**Step 2/3**: implement",
    "Hm.",
    expect.stringMatching(/^\*\*Workflow failed\*\* at step: implement\n\nError: .*I cannot do this\./),
  ]);
  expect(await bench.say("/workflow status")).toEqual([expect.stringMatching(/^\*\*feature-development\*\* \(`wf-[^`]+`\): failed\n/)]);
  expect(await bench.say("/workflow resume")).toEqual([
    expect.stringMatching(/^Resuming `wf-/),
    "**Workflow resumed**: feature-development",
    "**Step 2/3**: implement",
    "Implemented.",
    "**Step 3/3**: create-pr",
    "Opened.",
    "**Workflow complete**: feature-development",
  ]);
  expect(await bench.say("/workflow resume")).toEqual([expect.stringContaining("No run of this conversation failed or is parked.")]);
  expect(await bench.say("/workflow cancel")).toEqual([expect.stringContaining("No run of this conversation is open.")]);
});

test("what the platform refuses is sent again, once, in its order", async () => {
  const time = new DrivenTime();
  bench = await openChat(chain, { script: worker, allow: ["feature-development"], parts: { alarms: time.alarms } });
  const seen = new Set<string>();
  bench.platform.before = (_, text) => {
    if (!text.startsWith("**") || seen.has(text)) return;
    seen.add(text);
    throw new Error("not now");
  };
  await bench.say("feature-development: dark mode");
  while (bench.platform.textsIn("c").at(-1) !== "**Workflow complete**: feature-development") await time.advance(60_000);
  expect(seen.size).toBe(5);
  expect(bench.platform.textsIn("c")).toEqual([
    expect.stringContaining("**Starting workflow**"),
    "**Step 1/3**: plan",
    "I plan.",
    "🔧 WRITE\nplan.md",
    "Planned.",
    "**Step 2/3**: implement",
    "Implemented.",
    "**Step 3/3**: create-pr",
    "Opened.",
    "**Workflow complete**: feature-development",
  ]);
  expect(bench.logged.filter((line) => line.includes("not now")).length).toBeGreaterThanOrEqual(5);
});

const gated = `name: gated
description: Asks, then works.
nodes:
  - { id: ask, approval: { message: "Begin?" } }
  - { id: work, prompt: "Plan: it", depends_on: [ask] }
`;

test("a run that is parked says why once, also after a restart, and continues when it is resumed", async () => {
  bench = await openChat({ ".archon/workflows/gated.yaml": gated }, { script: worker, allow: ["gated"] });
  await bench.say("/workflow run gated now");
  const { context, host } = bench.engine;
  await host.permissions.revoke((await context.catalog.load("gated")).hash);
  const said = await bench.say("approve");
  expect(said.at(-1)).toMatch(
    /^\*\*Workflow parked\*\*: gated \(run `wf-[^`]+`\)\n\n[^]*`waymark -C \S+ allow gated` on the machine where it runs; a chat cannot allow it\. Then write `\/workflow resume wf-[^`]+`\.$/,
  );
  await bench.restart();
  await bench.chat.idle();
  expect(await bench.say("/workflow status")).toEqual([expect.stringContaining("running, parked")]);
  expect(bench.platform.textsIn("c").filter((text) => text.startsWith("**Workflow parked**"))).toHaveLength(1);
  await bench.engine.allow("gated");
  const resumed = await bench.say("/workflow resume");
  expect(resumed[0]).toMatch(/^Resuming `wf-gated-/);
  expect(resumed.at(-1)).toBe("**Workflow complete**: gated");
});

const message = `name: greet
description: Says hello.
inputs: { user_message: { type: string, required: true } }
steps:
  - { id: hello, type: user_message, message: "Hello {{ inputs.user_message }}" }
  - { id: build, type: shell_command, command: "echo built" }
`;

test("steps of other dialects have the same forms, and their messages are shown", async () => {
  bench = await openChat({ ".waymark/workflows/greet.yaml": message }, { allow: ["greet"] });
  expect(await bench.say("/workflow run greet Ann")).toEqual([
    "**Starting workflow**: greet\n\nSays hello.\n\nSteps: hello → build",
    "Hello Ann",
    "**Step**: build",
    "**Workflow complete**: greet",
  ]);
});

test("a restart in the middle of a run continues it, and shows nothing twice", async () => {
  bench = await openChat(chain, { script: worker, allow: ["feature-development"] });
  let go = (): void => undefined;
  const held = new Promise<void>((resolve) => (go = resolve));
  bench.platform.before = (_, text) => (text === "**Step 2/3**: implement" ? held : undefined);
  await bench.chat.receive(bench.platform, { conversation: "c", id: "1", person: "ann", text: "feature-development: dark mode" });
  await expect.poll(() => bench.platform.textsIn("c").at(-1)).toBe("Planned.");
  const closing = bench.restart();
  go();
  await closing;
  await bench.chat.idle();
  const said = bench.platform.textsIn("c");
  expect(said.at(-1)).toBe("**Workflow complete**: feature-development");
  expect(new Set(said).size).toBe(said.length);
});

/** The store keeps the next run that is made and does not answer any more, until it is back. */
function losingAnswers({ context }: ChatBench["engine"]): { isAway: boolean; asked: number } {
  const away = { isAway: false, asked: 0 };
  const unreachable = (): never => {
    throw new WaymarkError({ code: "STORE_UNREACHABLE", message: "The database could not be reached.", fix: "Repeat the command." });
  };
  const { store } = context;
  const [createRun, readRun] = [store.createRun.bind(store), store.readRun.bind(store)];
  Object.assign(store, {
    createRun: async (...given: Parameters<typeof createRun>) => {
      await createRun(...given);
      away.isAway = true;
      unreachable();
    },
    readRun: async (run: string) => {
      away.asked += 1;
      return away.isAway ? unreachable() : readRun(run);
    },
  });
  return away;
}

const hello = { ".waymark/workflows/greet.yaml": message };
const kept = "The database could not be reached.\n\nYour message is kept, and is done when the store answers: you need not write it again.";
const greeted = ["**Starting workflow**: greet\n\nSays hello.\n\nSteps: hello → build", "Hello Ann", "**Step**: build"];

test("a run whose making is not answered is followed when the store answers, and its message says so once", async () => {
  const time = new DrivenTime();
  bench = await openChat(hello, { allow: ["greet"], parts: { alarms: time.alarms } });
  const away = losingAnswers(bench.engine);
  expect(await bench.say("/workflow run greet Ann")).toEqual([kept]);
  expect(bench.chat.isBusy()).toBe(false);
  const asked = away.asked;
  await time.advance(600_000);
  expect(away.asked - asked).toBeGreaterThan(5);
  expect(bench.platform.textsIn("c")).toEqual([kept]);
  expect(await bench.conversations.openMessages("test")).toHaveLength(1);
  away.isAway = false;
  await expect.poll(async () => (await time.advance(60_000), bench.platform.textsIn("c").at(-1))).toBe("**Workflow complete**: greet");
  await bench.chat.idle();
  expect(bench.platform.textsIn("c").slice(1, -1)).toEqual(greeted);
  expect(await bench.engine.context.store.listRuns({})).toHaveLength(1);
  expect(await bench.conversations.openMessages("test")).toEqual([]);
});

test("such a run is followed by the next process too", async () => {
  const time = new DrivenTime();
  bench = await openChat(hello, { allow: ["greet"], parts: { alarms: time.alarms } });
  const away = losingAnswers(bench.engine);
  await bench.say("/workflow run greet Ann");
  await bench.restart();
  await bench.chat.idle();
  expect(bench.platform.textsIn("c")).toEqual([kept, kept]);
  away.isAway = false;
  await bench.restart();
  await bench.chat.idle();
  await expect.poll(() => bench.platform.textsIn("c").at(-1)).toBe("**Workflow complete**: greet");
  expect(await bench.engine.context.store.listRuns({})).toHaveLength(1);
  expect(await bench.conversations.openMessages("test")).toEqual([]);
});

test("such a run is followed too when its folder cannot be opened for a while", async () => {
  let isBroken = false;
  const check = (): void => {
    if (isBroken) throw new WaymarkError({ code: "HOST_CONFIG_INVALID", message: "The configuration is wrong." });
  };
  bench = await openChat(hello, { allow: ["greet"], parts: { alarms: new DrivenTime().alarms }, check });
  const away = losingAnswers(bench.engine);
  await bench.say("/workflow run greet Ann");
  [away.isAway, isBroken] = [false, true];
  await bench.restart();
  await bench.chat.idle();
  expect(bench.platform.textsIn("c")).toEqual([kept, "The configuration is wrong."]);
  expect(await bench.conversations.openMessages("test")).toEqual([]);
  isBroken = false;
  await bench.restart();
  await bench.chat.idle();
  await expect.poll(() => bench.platform.textsIn("c").at(-1)).toBe("**Workflow complete**: greet");
  expect(await bench.engine.context.store.listRuns({})).toHaveLength(1);
});

test("a start whose decision is not answered begins one run, and one that is refused for good is settled", async () => {
  const time = new DrivenTime();
  bench = await openChat(hello, { allow: ["greet"], parts: { alarms: time.alarms } });
  const { conversations, engine } = bench;
  const decideStart = conversations.decideStart.bind(conversations);
  let left = 2;
  Object.assign(conversations, {
    decideStart: async (...given: Parameters<typeof decideStart>) => {
      const decided = await decideStart(...given);
      if (left-- > 0) throw new WaymarkError({ code: "STORE_LOCKED", message: "The database could not be reached." });
      return decided;
    },
  });
  expect(await bench.say("/workflow run greet Ann")).toEqual([kept]);
  await expect.poll(async () => (await time.advance(60_000), bench.platform.textsIn("c").at(-1))).toBe("**Workflow complete**: greet");
  expect(await engine.context.store.listRuns({})).toHaveLength(1);
  const refuse = new WaymarkError({ code: "STORE_NAME_TOO_LONG", message: "It is too long." });
  Object.assign(engine.context.store, { createRun: () => Promise.reject(refuse) });
  expect(await bench.say("/workflow run greet Ann")).toEqual(["It is too long."]);
  expect(await conversations.openMessages("test")).toEqual([]);
});

const flaky = `name: flaky
description: Fails at first.
error_handling: { on_error: retry_workflow, max_retries: 2 }
steps:
  - { id: try_it, type: shell_command, command: "test -e ok || { touch ok; exit 1; }" }
`;

test("a failed run whose workflow asks for another attempt is followed into it", async () => {
  bench = await openChat({ ".waymark/workflows/flaky.yaml": flaky }, { allow: ["flaky"] });
  const said = await bench.say("/workflow run flaky");
  // The second attempt may be followed before the end of the first is shown: then two runs are open, and the message says whose end it is.
  expect(said.map((text) => text.replace(/^Run `wf-flaky-[\w-]+`:\n\n/, "").split("\n")[0])).toEqual([
    "**Starting workflow**: flaky",
    "**Step**: try_it",
    "**Workflow failed** at step: try_it",
    "**Starting workflow**: flaky",
    "**Step**: try_it",
    "**Workflow complete**: flaky",
  ]);
  expect(await bench.conversations.runsToSend("test")).toEqual([]);
});

/** An agent that says something and then works until it is cancelled. */
const endless: AgentProvider = {
  id: "script",
  async *run({ signal }) {
    yield { type: "session", sessionId: "s", resumed: "new" };
    yield { type: "message", text: "I work." };
    await new Promise<void>((resolve) => signal?.addEventListener("abort", () => resolve(), { once: true }));
    yield { type: "result", sessionId: "s", stop: "cancelled", text: "", usage: {}, denied: [] };
  },
  close: () => Promise.resolve(),
};

test("a run is cancelled while its agent works; only from its own conversation", async () => {
  const info = {
    name: "script",
    title: "",
    from: "user",
    protocol: "script",
    command: [],
    found: true,
    modes: {},
    account: "a",
    permission: "edit",
    resume: "resume",
    tried: false,
  } as const;
  const agents = {
    list: async () => [info],
    resolve: async () => info,
    probe: async () => ({ answers: true, modes: [], models: [] }),
    open: async () => endless,
  };
  bench = await openChat(chain, { agents, allow: ["feature-development"] });
  const { chat, adapter, platform } = bench;
  const write = (id: string, conversation: string, text: string) => chat.receive(adapter, { conversation, id, person: "ann", text });
  await write("1", "c", "feature-development: dark mode");
  await expect.poll(() => platform.textsIn("c").at(-1), { timeout: 20_000 }).toBe("I work.");
  await write("2", "other", "/workflow cancel");
  await write("3", "c", "/workflow status");
  await expect.poll(() => platform.textsIn("c").at(-1)).toMatch(/^\*\*feature-development\*\* \(`wf-[^`]+`\): running at Step 1\/3: plan$/);
  await write("4", "c", "/workflow cancel");
  await chat.idle();
  expect(platform.textsIn("other")).toEqual([expect.stringContaining("No run of this conversation is open.")]);
  expect(platform.textsIn("c").slice(-2).toSorted()).toEqual([
    "**Workflow cancelled**: feature-development\n\nann of the team cancelled it in the chat.",
    expect.stringMatching(/^Cancelled `wf-/),
  ]);
});
