// @ts-check
/**
 * A coding agent without a model, for tests and benchmarks. It speaks the Agent Client Protocol over stdin and stdout, answers at once,
 * and needs no package, so that it can also do what no package would.
 *
 *   node fake-acp-agent.mjs [--kind=<kind>] [--script=<file>] [--state=<folder>] [--no-resume] [--no-load] [--log=<file>]
 *
 * --kind    a way to misbehave, see `kinds` below
 * --script  JSON: a list of { match?, do }. The first entry whose regular expression `match` finds something in the prompt answers it, and
 *           what its named groups found takes the place of $<name>; `do` is a list of actions:
 *             { say }, { think }, { plan: [texts] }, { usage: {...} }, { notice }            what it tells
 *             { write: { file, text, ask? } }, { run: command, ask? }, { tool: { ... } }   tools; they ask for permission unless ask: false;
 *                                                                                          a tool with early: true calls itself running before it asks
 *             { call: { tool, with } }                                                     a tool of the first MCP server, over HTTP
 *             { recall: true }                                                             says the prompts of the session so far
 *             { failure: { category, title, severity } }                                   a failure beside the text
 *             { stop: reason }, { error: { code, message } }, { hang: true }, { crash: code }
 *             { kind }, { signal: name }                                                   all that a kind does; a signal to who started it
 *             { line: text }, { update: {...}, session? }                                  anything on the wire
 *             { limit: seconds, times: file }                                              the account is at its limit for so long; the file has
 *                                                                                          when each such turn began and, first, when the limit ends
 *           An action with `once: file` is done only while there is no such file, and makes it.
 * --state   sessions are kept in this folder, so that another process can resume or load them
 * --log     every request is appended to this file, one JSON a line, with what tools of
 *           servers replied (`tools/reply`) and when turns ended (`turn/end`)
 *
 * Without a script it says "ok". Nothing here waits for a clock.
 */
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { dirname, join, resolve } from "node:path";
import { createInterface } from "node:readline";

/** @typedef {Record<string, any>} Action */

const limitText = "You've hit your usage limit. Try again at 2026-01-02T03:04:05Z.";
const options = readOptions(process.argv.slice(2));

/** The ways to misbehave. Each is a script; what needs more is asked for by name below. @type {Record<string, Action[]>} */
const kinds = {
  garbage: [{ line: "Loading plugins... 3 of 7" }, { line: '{"half": ' }, { line: "[1, 2]" }, { say: "Still here." }],
  hang: [{ say: "Let me think." }, { hang: true }],
  deaf: [{ say: "Let me think." }, { hang: "deaf" }],
  death: [{ say: "I begin." }, { crash: 7 }],
  "empty-turn": [],
  "false-report": [{ say: "I wrote report.md as you asked." }],
  "endless-text": [{ endless: true }],
  "denied-tool": [{ write: { file: "/etc/waymark-fake", text: "no" } }, { run: "rm -rf /" }, { say: "I tried." }],
  "foreign-session": [
    { update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "not yours" } }, session: "another" },
    { say: "Mine." },
  ],
  "slow-start": [{ say: "Late." }],
  "slow-session": [{ say: "Late." }],
  "duplicate-updates": [
    ...twice({ update: { sessionUpdate: "tool_call", toolCallId: "d1", title: "Read", kind: "read", status: "in_progress" } }),
    ...twice({ update: { sessionUpdate: "tool_call_update", toolCallId: "d1", status: "completed" } }),
    ...twice({ plan: ["one"] }),
    { say: "Once." },
  ],
  "lost-session": [{ say: "ok" }],
  "empty-history": [{ say: "ok" }],
  limit: [{ say: limitText }],
  "typed-limit": [{ say: "Something went wrong." }, { failure: { category: "limit", severity: "error", title: limitText } }],
  "system-error": [{ update: { sessionUpdate: "session_info_update", _meta: { codex: { threadStatus: { type: "systemError" } } } } }],
  auth: [{ error: { code: -32000, message: "Authentication required" } }],
  overloaded: [{ error: { code: -32603, message: "Internal error", data: { details: "HTTP 529 overloaded" } } }],
  "end-after-cancel": [{ say: "Working." }, { hang: "end_turn" }],
  "late-replay": [{ say: "ok" }],
};

/** @type {{ match?: string, do: Action[] }[]} */
const script = options.script ? JSON.parse(readFileSync(options.script, "utf8")) : [{ do: kinds[options.kind ?? ""] ?? [{ say: "ok" }] }];

/** @typedef {{ id: string, cwd: string, mcp: any[], prompts: string[], updates: any[], cancel?: () => void, cancelled: boolean }} Session */
/** @type {Map<string, Session>} */
const sessions = new Map();
/** @type {Map<number, (answer: any) => void>} */
const asked = new Map();
let count = 0;

/** @type {Record<string, (params: any) => any>} */
const methods = {
  initialize: () => {
    if (options.kind === "slow-start") return new Promise(() => undefined);
    return {
      protocolVersion: 1,
      agentInfo: { name: "fake-acp-agent", version: "1.2.3" },
      agentCapabilities: {
        loadSession: options["no-load"] === undefined,
        mcpCapabilities: { http: true },
        sessionCapabilities: options["no-resume"] === undefined ? { resume: {} } : {},
      },
      authMethods: [{ id: "fake-login", name: "Log in" }],
    };
  },
  authenticate: () => ({}),
  "session/new": ({ cwd, mcpServers }) => {
    if (options.kind === "slow-session") return new Promise(() => undefined);
    const id = `fake-${process.pid}-${++count}`;
    const session = { id, cwd, mcp: mcpServers, prompts: [], updates: [], cancelled: false };
    sessions.set(id, session);
    save(session);
    return { sessionId: id, ...choices };
  },
  "session/resume": (params) => (open(params), choices),
  "session/load": async (params) => {
    if (sessions.has(params.sessionId)) throw rpcError(-32602, "The session is loaded already.");
    const { id, updates } = open(params);
    const replay = () => updates.forEach((/** @type {any} */ update) => notify(id, update));
    if (options.kind === "empty-history") return choices;
    if (options.kind === "late-replay") setImmediate(replay);
    else replay();
    return choices;
  },
  "session/set_mode": () => ({}),
  "session/set_config_option": () => ({ configOptions: choices.configOptions }),
  "session/cancel": ({ sessionId }) => {
    const session = sessions.get(sessionId);
    if (session) session.cancelled = true;
    session?.cancel?.();
  },
  "session/prompt": prompt,
};

const choices = {
  modes: {
    currentModeId: "default",
    availableModes: [
      { id: "default", name: "Default" },
      { id: "plan", name: "Plan" },
    ],
  },
  configOptions: [
    {
      id: "model",
      name: "Model",
      category: "model",
      type: "select",
      currentValue: "small",
      options: [
        { value: "small", name: "S" },
        { value: "large", name: "L" },
      ],
    },
  ],
};

createInterface({ input: process.stdin })
  .on("line", (line) => void receive(JSON.parse(line)))
  .on("close", () => process.exit(0));

/** @param {any} message */
async function receive(message) {
  if (message.method === undefined) {
    asked.get(message.id)?.(message);
    asked.delete(message.id);
    return;
  }
  record(message.method, message.params);
  try {
    const method = methods[message.method];
    if (method === undefined) throw rpcError(-32601, `Method not found: ${message.method}`);
    const result = await method(message.params);
    if (message.id !== undefined) send({ id: message.id, result });
  } catch (error) {
    const { code, message: text, data } = /** @type {any} */ (error);
    if (message.id !== undefined) send({ id: message.id, error: { code: code ?? -32603, message: text, data } });
  }
}

/** @param {string} method @param {unknown} params */
function record(method, params) {
  if (options.log) appendFileSync(options.log, `${JSON.stringify({ method, params, env: Object.keys(process.env) })}\n`);
}

/** @param {any} params */
async function prompt({ sessionId, prompt: blocks }) {
  const session = sessions.get(sessionId);
  if (session === undefined) throw rpcError(-32002, `Resource not found: ${sessionId}`);
  const text = blocks.map((/** @type {any} */ block) => block.text ?? "").join("");
  const before = [...session.prompts];
  session.prompts.push(text);
  session.updates.push({ sessionUpdate: "user_message_chunk", content: { type: "text", text } });
  session.cancelled = false;
  save(session);
  const actions = actionsFor(text);
  let stopReason = "end_turn";
  for (const action of actions) {
    if (session.cancelled) return { stopReason: "cancelled" };
    if (action.once !== undefined) {
      if (existsSync(action.once)) continue;
      writeFileSync(action.once, "");
    }
    if (action.recall) say(session, `Before: ${before.join(" | ")}`);
    const stop = action.limit === undefined ? await act(session, action) : limit(session, action);
    if (stop !== undefined) {
      stopReason = stop;
      break;
    }
  }
  save(session);
  record("turn/end", { sessionId });
  const failure = actions.find(({ failure: held }) => held !== undefined)?.failure;
  const usage = actions.find(({ usage: held }) => held !== undefined)?.usage;
  return { stopReason, ...(usage ? { usage } : {}), ...(failure ? { _meta: { jetbrains: { air: { sessionFailure: failure } } } } : {}) };
}

/** @param {string} text @returns {Action[]} */
function actionsFor(text) {
  for (const { match = "", do: actions } of script) {
    const found = new RegExp(match).exec(text);
    if (found === null) continue;
    const fill = (/** @type {unknown} */ _all, /** @type {string} */ name) => JSON.stringify(found.groups?.[name] ?? "").slice(1, -1);
    /** @type {Action[]} */
    const filled = JSON.parse(JSON.stringify(actions).replace(/\$<(\w+)>/g, fill));
    return filled.flatMap((action) => (action.kind ? (kinds[action.kind] ?? []) : [action]));
  }
  return [];
}

/** Answers the reason to stop, if this ends the turn. @param {Session} session @param {Action} action @returns {Promise<string | undefined>} */
async function act(session, action) {
  if (action.say !== undefined) return say(session, action.say);
  if (action.think !== undefined) update(session, { sessionUpdate: "agent_thought_chunk", content: { type: "text", text: action.think } });
  if (action.plan)
    update(session, {
      sessionUpdate: "plan",
      entries: action.plan.map((/** @type {string} */ content) => ({ content, priority: "medium", status: "pending" })),
    });
  if (action.notice) update(session, { sessionUpdate: "notice", severity: "warning", title: action.notice });
  if (action.update) notify(action.session ?? session.id, action.update);
  if (action.line !== undefined) process.stdout.write(`${action.line}\n`);
  if (action.stop) return action.stop;
  if (action.error) throw rpcError(action.error.code, action.error.message, action.error.data);
  if (action.crash !== undefined) {
    process.stderr.write("fake agent: out of memory\n");
    process.exit(action.crash);
  }
  if (action.signal) process.kill(process.ppid, action.signal);
  if (action.hang) return hang(session, action.hang);
  if (action.endless) return endless(session);
  if (action.write)
    return tool(session, { name: "write", kind: "edit", input: { path: action.write.file }, ask: action.write.ask }, () =>
      writeTo(session, action.write),
    );
  if (action.run)
    return tool(session, { name: "shell", kind: "execute", input: { command: action.run }, ask: action.ask }, () =>
      String(spawnSync("sh", ["-c", action.run], { cwd: session.cwd }).stdout),
    );
  if (action.tool) return tool(session, action.tool, () => "ok");
  if (action.call)
    return tool(session, { name: `mcp__${session.mcp[0]?.name}__${action.call.tool}`, kind: "other", input: action.call.with ?? {} }, () =>
      callServer(session, action.call),
    );
  return undefined;
}

/** @param {Session} session @param {Action} action @returns {string | undefined} */
function limit(session, { limit: seconds, times }) {
  if (!existsSync(times)) appendFileSync(times, `${new Date(Date.now() + seconds * 1000).toISOString()}\n`);
  const [end = ""] = readFileSync(times, "utf8").split("\n");
  appendFileSync(times, `${new Date().toISOString()}\n`);
  if (Date.now() >= Date.parse(end)) return undefined;
  say(session, `You've hit your usage limit. Try again at ${end}.`);
  return "end_turn";
}

/** Text comes word by word, as models write it. @param {Session} session @param {string} text @returns {undefined} */
function say(session, text) {
  for (const word of text.split(/(?<= )/)) update(session, { sessionUpdate: "agent_message_chunk", content: { type: "text", text: word } });
}

/** @param {Session} session @param {any} call @param {() => unknown} perform */
async function tool(session, { name, kind, input, ask = true, early = false, title = "A tool" }, perform) {
  const toolCallId = `call-${++count}`;
  update(session, {
    sessionUpdate: "tool_call",
    toolCallId,
    title,
    name,
    kind,
    status: early ? "in_progress" : "pending",
    rawInput: input,
  });
  // The question repeats only the id and the title, as some agents do: what it is about came before.
  const isAllowed = !ask || (await question(session, { toolCallId, title }));
  if (isAllowed === "cancelled") return "cancelled";
  let rawOutput = /** @type {unknown} */ ("denied");
  if (isAllowed) {
    update(session, { sessionUpdate: "tool_call_update", toolCallId, status: "in_progress" });
    rawOutput = await perform();
  }
  update(session, { sessionUpdate: "tool_call_update", toolCallId, status: isAllowed ? "completed" : "failed", rawOutput });
  return undefined;
}

/** @param {Session} session @param {any} toolCall @returns {Promise<boolean | "cancelled">} */
async function question(session, toolCall) {
  const { result } = await request("session/request_permission", {
    sessionId: session.id,
    toolCall,
    options: [
      { optionId: "forever", name: "Always", kind: "allow_always" },
      { optionId: "yes", name: "Yes", kind: "allow_once" },
      { optionId: "no", name: "No", kind: "reject_once" },
    ],
  });
  if (result?.outcome?.outcome !== "selected") return "cancelled";
  return result.outcome.optionId === "yes";
}

/** @param {Session} session @param {{ file: string, text: string }} file */
function writeTo(session, { file, text }) {
  const path = resolve(session.cwd, file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return `Wrote ${file}.`;
}

/** @param {Session} session @param {{ tool: string, with?: unknown }} call */
async function callServer(session, call) {
  const [server] = session.mcp;
  const headers = Object.fromEntries(server.headers.map((/** @type {any} */ header) => [header.name, header.value]));
  /** @type {string | null} */
  let id = null;
  /** @type {[string, unknown][]} */
  const steps = [
    ["initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "fake", version: "1" } }],
    ["notifications/initialized", {}],
    ["tools/call", { name: call.tool, arguments: call.with ?? {} }],
  ];
  for (const [method, params] of steps) {
    const isNote = method.startsWith("notifications/");
    const response = await fetch(server.url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...(id ? { "mcp-session-id": id } : {}),
        ...headers,
      },
      body: JSON.stringify({ jsonrpc: "2.0", ...(isNote ? {} : { id: ++count }), method, params }),
    });
    id = response.headers.get("mcp-session-id") ?? id;
    const text = await response.text();
    if (method !== "tools/call") continue;
    record("tools/reply", { sessionId: session.id, tool: call.tool, text });
    return text.slice(0, 2000);
  }
  return "";
}

/** @param {Session} session @param {unknown} how @returns {Promise<string>} */
function hang(session, how) {
  return new Promise((done) => {
    if (how !== "deaf") session.cancel = () => done(how === "end_turn" ? "end_turn" : "cancelled");
  });
}

/** Writes until it is cancelled. @param {Session} session @returns {Promise<string>} */
function endless(session) {
  return new Promise((done) => {
    const more = () => {
      if (session.cancelled) return done("cancelled");
      notify(session.id, { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "and on ".repeat(20_000) } });
      if (process.stdout.writableNeedDrain) process.stdout.once("drain", more);
      else setImmediate(more);
    };
    more();
  });
}

/** @param {any} params */
function open({ sessionId, cwd, mcpServers }) {
  const file = options.state ? join(options.state, `${sessionId}.json`) : "";
  if (options.kind === "lost-session" || file === "" || !existsSync(file)) throw rpcError(-32002, `Resource not found: ${sessionId}`);
  const session = { ...JSON.parse(readFileSync(file, "utf8")), id: sessionId, cwd, mcp: mcpServers ?? [], cancelled: false };
  sessions.set(sessionId, session);
  return session;
}

/** @param {Session} session */
function save({ id, prompts, updates }) {
  if (!options.state) return;
  mkdirSync(options.state, { recursive: true });
  writeFileSync(join(options.state, `${id}.json`), JSON.stringify({ prompts, updates }));
}

/** @param {Session} session @param {any} change */
function update(session, change) {
  session.updates.push(change);
  notify(session.id, change);
}

/** @param {string} sessionId @param {any} change */
function notify(sessionId, change) {
  send({ method: "session/update", params: { sessionId, update: change } });
}

/** @param {string} method @param {any} params @returns {Promise<any>} */
function request(method, params) {
  const id = ++count;
  send({ id, method, params });
  return new Promise((done) => asked.set(id, done));
}

/** @param {any} message */
function send(message) {
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
}

/** @param {number} code @param {string} text @param {unknown} [data] */
function rpcError(code, text, data) {
  return Object.assign(new Error(text), { code, data });
}

/** @param {Action} action */
function twice(action) {
  return [action, action];
}

/** @param {string[]} args @returns {Record<string, string>} */
function readOptions(args) {
  return Object.fromEntries(args.map((arg) => /^--([\w-]+)=?(.*)$/s.exec(arg)?.slice(1) ?? [arg, ""]));
}
