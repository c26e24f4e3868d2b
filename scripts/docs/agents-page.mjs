// @ts-check
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../run-tool.mjs";
import { loadRooms } from "./load-rooms.mjs";

const ways = { resume: "resumed", load: "loaded", none: "lost" };

const permissions = `## What an agent may do

| level | the agent may, without asking you |
|---|---|
| \`read\` | read and search files of its folder, think, and use Waymark's own tools |
| \`edit\` | also change files inside its folder, and run the command lines that the workflow lists |
| \`all\` | also run any command, fetch pages, and use other tools |

Waymark answers the agent's questions by the kind and the input of the call, never by its title. A command that is listed may have further
plain arguments, but no shell characters after it, no variables and no other folder. Files outside the folder are refused at every level, also
behind symbolic links; below \`all\` so is every text of the input that could be a path and leads out, whatever its key is. \`.git\` and \`.waymark\`
decide what git and Waymark run, so they are changed at \`all\` only. A call that is not understood needs \`all\`. \`allowed_tools\` and \`denied_tools\` name
tools or kinds (\`read\`, \`search\`, \`think\`, \`edit\`, \`delete\`, \`move\`, \`execute\`, \`fetch\`), in any capitals. Everything that was denied is in the
outcome of the step. An agent that does not ask in the first place is only held back by its own mode and sandbox: run it in a worktree or a
container. The \`claude\` command without its adapter asks nobody: Waymark gives it these rules as flags, and it keeps them by its own judgement.`;

const configuring = `## Your own agents

\`\`\`yaml
agents:
  mine:
    protocol: acp                 # acp, claude-cli or script
    command: [node, agent.mjs]    # the program and its arguments; it starts in the workspace
    env: [MY_KEY, LOG=quiet]      # NAME is passed on, NAME=value is set
    mode: default                 # or { read: plan, edit: default, all: default }
    model: large
    models: { small: fast-1, "@mini": fast-0 }   # names in workflows, and which model each is
    permission: edit              # where the workflow does not say
    auth: api-key                 # the method of \`authenticate\`
    resume: load                  # resume, load or none
  claude:
    model: opus                   # changes only this of the known agent
drive:
  agent: mine
\`\`\`

A model that a workflow, \`--model\` or a role names is looked up in \`models\` of the agent that works. \`small\`, \`medium\`, \`large\` and names with \`@\` are sizes: an agent that has neither an entry
nor a model for one works with its usual model, and the run says so once. Any other name that it does not have stops the run (4), since another model is not what you asked for.

The cost that an agent reports (\`usage_update\` with \`cost: { amount, currency: USD }\`) counts as the protocol says: the sum of the session so far. A turn's
cost is the difference, so the first turn in a session that another process began has none. Tokens are those of the answer to the prompt (\`usage\`), for that turn.

One process serves the turns of a driver, or of each of its workers. It is replaced by a new one after 50 sessions; when it ends, falls silent or breaks the protocol; and
after a turn that failed: an error in the place of an answer, or a refusal. A limit, a missing login or model and an overloaded provider are none of the process, which is
kept then; so is one whose sessions no other process could continue, after a failed turn.

To find out what goes wrong between Waymark and an agent, set \`drive.wire\` to a folder: it gets every message as \`<agent>-<process>.wire.jsonl\`, for your
user alone, without tokens and without the values of the agent's \`env\`. Nothing removes these files.

With \`resume: load\` the agent must replay the history of the session in \`session/load\`, as the protocol says (\`session/update\` with its messages). Without one message
of it the session counts as lost: nobody could tell it from a new one.

An agent in the project's \`.waymark/config.yaml\` can start any program, so it is not started before you looked at it and allowed it with
\`waymark allow --agent mine\`. A later change needs a new permission. Agents of your own configuration need none.

## Scripts

A \`script\` agent has no model: it does what a file says. Use it for a dry run of a workflow and in tests: \`waymark test\` takes one as \`agent\`
([cli.md](cli.md#test-files)). Configure it with
\`protocol: script\` and \`file\`, or name it directly as \`script:path/to/file.yaml\`. Where the project names it, in a workflow or in its configuration, what the file says
is part of what you allow: after a change of it \`waymark allow\` is needed again.

\`\`\`yaml
turns:
  - match: 'Write the plan for (?<what>\\w+)'   # a regular expression; without it every prompt
    times: 1                                   # answers only so often
    do:
      - say: I write the plan.
      - write: { file: plan.md, text: "# Plan for $<what>\\n" }
      - call: { tool: workflow_status, with: {} }   # a tool of the turn's MCP server; \`server\` names another one
    stop: end                                  # end, refused, max_tokens, max_turns, cancelled
  - error: { kind: limit, text: "You've hit your usage limit. Try again in 2 hours." }
\`\`\`

The first turn whose \`match\` finds something in the prompt is used. \`$<name>\` is replaced by what a named group found. Writing keeps to the
level of permission, as for every agent. \`times\` counts within one process: a later \`waymark drive\` counts from the beginning.

Where the end of a turn is not the report ([driving.md](driving.md#what-the-agent-gets)), the prompt has the call that reports the step. A turn takes its ids from there:

\`\`\`yaml
turns:
  - match: '"run_id":"(?<run>[^"]+)","action_id":"(?<action>[^"]+)"'
    do:
      - call: { tool: workflow_progress, with: { run_id: "$<run>", action_id: "$<action>", result: "3 files" } }
      - say: Reported.
\`\`\`

\`error\` is a text, or a map with \`text\` and \`kind\`. Without \`kind\` the words decide, as with every agent.

| \`kind\` | then |
|---|---|
| \`limit\` | the run is parked, until the time that the text names |
| \`overloaded\`, \`transport\` | the turn is tried again after 5 and after 20 seconds, or as the step's own \`retry\` says |
| \`crash\` | the same, at once |
| \`lost\` | the conversation is lost; the workflow or \`--on-lost\` decides what that means |
| \`auth\`, \`refused\`, \`timeout\`, \`unknown\` | the step fails |
`;

/** The table that `npm run test:agents` compares with. */
function seenTable() {
  /** @type {Record<string, Record<string, string>>} */
  const table = JSON.parse(readFileSync(join(root, "test", "agents", "table.json"), "utf8"));
  const names = Object.keys(table);
  const rows = [...new Set(names.flatMap((name) => Object.keys(table[name] ?? {})))];
  const lines = rows.map((row) => `| ${row} | ${names.map((name) => table[name]?.[row] ?? "").join(" | ")} |`);
  return [`| | ${names.map((name) => `\`${name}\``).join(" | ")} |`, `|---|${"---|".repeat(names.length)}`, ...lines].join("\n");
}

/** How coding agents are used, with the table of those that Waymark knows. */
export async function agentsPage() {
  const { knownAgents } = await loadRooms();
  const rows = knownAgents.map((agent) => {
    const counts = [
      agent.usage.tokens === "turn" || agent.usage.tokens === "session" ? "tokens" : "",
      agent.usage.cost === "none" ? "" : "cost",
    ];
    const modes = Object.entries(agent.modes).map(([level, mode]) => `${level}: \`${mode}\``);
    return `| \`${agent.name}\` | ${agent.title} | \`${agent.command.join(" ")}\` | \`${agent.install}\` | ${modes.join("<br>") || "its own"} | ${ways[agent.resume]} | ${counts.filter(Boolean).join(", ") || "none"} | ${agent.tried ?? "**untried**"} | ${agent.notes ?? ""} |`;
  });
  const variables = knownAgents.map((agent) => {
    const shown = agent.env.map((/** @type {string} */ entry) => `\`${entry}\``).join(", ");
    return `| \`${agent.name}\` | ${shown} |`;
  });
  return `# Coding agents

Waymark starts coding agents itself and gives them one step at a time. An agent is a program of its own: it is found on your PATH or
configured, and Waymark never installs one.

\`\`\`
waymark agents              # which are installed, answer, and what they offer
waymark agents try claude   # one small turn in an empty folder; uses your account
\`\`\`

## Known agents

All of them speak the Agent Client Protocol (ACP). A session that has to be continued after its process ended is resumed or loaded where
the agent can do that; where it cannot, it is lost, and the workflow decides what that means. A session never becomes a new one silently.
An id of a session that could be an option, a path or several words is given to no agent: such a session is lost.

| name | agent | command | install with | mode for each level | after a restart | counts | tried | notes |
|---|---|---|---|---|---|---|---|---|
${rows.join("\n")}

"Tried" names the version of the program whose protocol was tried out with a scripted model: planning, edits, a denial, a cancelled turn
and a restart. A newer version can behave differently; \`waymark agents try\` shows whether yours works. Untried ones follow their
documentation. When only the \`claude\` command is installed, it is used without the adapter (\`claude-cli\`).

## What real agents were seen to do

\`npm run test:agents\` installs these versions and drives them over ACP with the built \`waymark run\`, against a scripted model and without
network. Each row is what Waymark makes of it, checked against the journal, the transcript, the files and what the model was asked; the
command fails when one differs. It says nothing about how well a model works.

${seenTable()}

"Session" is how each turn of the step got its conversation. \`live\`: it was open; \`resumed\`: taken up in a new process; \`lost\`: the agent
could not continue it. A step of its own context then begins with a new one, and a step that continues another fails, unless its workflow
says otherwise. With HTTP 429 both try again without a word, so only the limit for silence (\`idle_timeout\` of a step) ends the turn.

${permissions}

## What an agent sees of your environment

Only an allow-list: \`PATH\`, \`HOME\`, \`LANG\`, \`LC_*\`, \`TERM\`, \`TMPDIR\`, \`USER\`, \`LOGNAME\`, \`SHELL\`, \`TZ\`, \`XDG_*\`, the variables for proxies
and certificates, those that Windows programs need, and its own:

| name | variables |
|---|---|
${variables.join("\n")}

Your variables of Waymark (\`WAYMARK_*\`) are never passed on. Waymark sets one itself, \`WAYMARK_DRIVEN\`: the path of a file that leads to the agent's step, so that
a \`waymark\` command that the agent starts keeps to that step.

${configuring}`;
}
