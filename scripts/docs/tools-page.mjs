// @ts-check
import { loadRooms } from "./load-rooms.mjs";

/**
 * Every tool with its arguments, every prompt and resource, from the tools themselves.
 *
 * @returns {Promise<string>}
 */
export async function toolsPage() {
  const { askTool, describeTool, tools, toolsets } = await loadRooms();
  return `# MCP tools

\`waymark mcp\` serves these on stdio, \`waymark serve\` over HTTP on this computer. The canonical tools are always offered; more come by
\`--tools <name,...>\` or the setting \`tools.toolsets\`:

| toolset | adds |
|---|---|
${toolsets.map((/** @type {any} */ set) => `| \`${set.name}\` | ${cell(set.adds)} |`).join("\n")}

Rules that hold for all of them:

- \`run_id\`, \`workflow_id\` and \`session_id\` are the same argument, and so are \`workflow\` and \`workflow_type\`; \`runId\` is understood too.
  A sub-agent names its task by \`task_id\` or by \`sub_agent_context: { task_id }\`. Any other name is an error that names the nearest one.
- Objects, lists, numbers and flags may come as JSON text. Names may be spelled with dots (\`workflow.get_next_step\`).
- A reply has a text and a structured part; each is enough alone, and both together stay under 8,000 characters.
- Data is always valid. Of a value that has no room the beginning is shown (the first entries, keys or characters), and \`truncated\` says
  what is missing: \`{path, total, next}\`, or a list of these. \`path\` is where the value is in the data, \`total\` how many entries, keys or
  characters it has in all, and \`next\` the call that brings the rest: \`{part: {path, from, total}, value}\`, with \`truncated\` again until
  the value is complete. These calls change nothing and may be repeated; a part of a step that is not open any more is refused
  (\`MCP_NO_PART\`), and so is a part of a value that was written since (\`MCP_PART_CHANGED\`, by the \`hash\` in \`next\`): read it from the
  beginning. Long \`variable_replacements\`, which repeat values of the definition, are left out. \`whole_step\` names a file with the
  whole step too, secret inputs masked.
- An error is a reply too: \`error\` with \`code\`, \`message\` and \`fix\`, and what follows: a \`next_call\` that reports nothing and does not
  bring the same error again, or \`later\`. The codes are in errors.md.
- A call returns within 25 s. Long work continues; the reply says so and names the call to ask again. Clients that sent a progress token
  get progress meanwhile.
- Calls may be repeated: the open step stays the same, and a report that was made before changes nothing.
- \`next_call\` is safe as it is. \`fill_in\` names what it still needs: without it the call reports nothing. \`later\` is a call for when
  something has changed (\`when\` says what); there is nothing to do before.
- Every hand-out has an id of its own: \`action_id\`, and with the author's id before it \`step.id\` (\`fix@a12\`). A report names one of them. The
  author's id alone counts where exactly one such step was handed out to you and is not reported yet, also without the task or
  workflow before it (\`fix\` for \`each.fix\`).
- An answer or report without an id counts for the one thing that was shown to you and is open. The same words again, with nothing asked for
  since, are the same call again: they are answered with what was recorded.
- An entry of a checklist is reported with its \`status\`: its id alone does not complete it. In the run of a checklist the entry that
  you work on may be named by the author's id too (\`analyze\`, \`a.js#analyze\`). The same words about that name again are the same report:
  what is open then is reported by its \`action_id\`. An empty report of a machine's role is refused, and spends no try.
- A step that asks for a result in \`fill_in\` is not complete without it: every \`agent_shell_command\`, \`mcp_call\` and \`apply_hints\`, and
  the work of roles and bots. It is in the report or, for a step with \`state_update\`, written to its path since it was handed out.
- Tasks of \`wait_for_all: false\` are handed out first, again to an agent that asks again, until the hand-out's \`next_call\` is made (it reports
  nothing), a step is reported or a task is begun. A task's first step brings the author's \`sub_agent_prompt_override\` (\`task_prompt\`).

${tools.map((/** @type {any} */ tool) => section(tool, describeTool(tool))).join("\n\n")}

## For driven agents

An agent that Waymark starts itself ([driving.md](driving.md)) gets only the tools that its own step needs, and one that is offered to no other
agent:

${section({ ...askTool, toolsets: [] }, describeTool(askTool), "###")}

## Prompts

| prompt | arguments | does |
|---|---|---|
| \`workflow\` | \`action\`, \`target\`, \`inputs\` | one command in words: \`list\`, \`<name> info\`, \`<name> start --input key=value\`, \`resume <run id>\`, \`status <run id>\` |
| \`sub-agent\` | \`task_id\`, \`run_id\` | what a sub-agent reads about its task |

## Resources

| address | gives |
|---|---|
| \`waymark://runs/{id}\` | the status of the run, as JSON |
| \`waymark://runs/{id}/journal\` | its records, 20 at a time; \`next\` names the following page (\`?after=\`) |
| \`waymark://runs/{id}/report\` | what was done, questions and answers, failures and counts, as Markdown |
`;
}

/**
 * @param {any} tool
 * @param {any} listed
 */
function section(tool, listed, level = "##") {
  const { properties = {}, required = [] } = listed.inputSchema;
  // Said here once, and not in every schema that a model pays for.
  const described = {
    ...properties,
    ...(properties.part === undefined ? {} : { part: { type: "object", description: "As `truncated.next` gives it." } }),
  };
  const rows = Object.entries(described).map(
    ([name, schema]) => `| \`${name}\` | ${typeOf(schema)} | ${required.includes(name) ? "yes" : ""} | ${cell(schema.description ?? "")} |`,
  );
  const facts = [
    ...(tool.toolsets.length === 0 ? [] : [`toolset ${tool.toolsets.map((/** @type {string} */ name) => `\`${name}\``).join(", ")}`]),
    tool.reads ? "reads only" : "changes the run",
  ];
  if (tool.destroys) facts.push("cannot be undone");
  if (!tool.repeatable) facts.push("each call counts");
  if (tool.canonical !== undefined) facts.push(`canonical name \`${tool.canonical}\``);
  const table =
    rows.length === 0 ? "It takes no arguments." : `| argument | type | required | meaning |\n|---|---|---|---|\n${rows.join("\n")}`;
  return `${level} ${tool.name}\n\n${tool.description}\n\n(${facts.join("; ")})\n\n${table}

Returns ${tool.returns}.`;
}

/** @param {any} schema */
function typeOf(schema) {
  if (Array.isArray(schema.enum)) return schema.enum.map((/** @type {string} */ value) => `\`${value}\``).join(", ");
  if (schema.type === "array") return `list of ${schema.items?.type ?? "values"}s`;
  return schema.type === "string" ? "text" : (schema.type ?? "any value");
}

/** @param {string} text */
function cell(text) {
  return text.replaceAll("|", "\\|").replaceAll("\n", " ");
}
