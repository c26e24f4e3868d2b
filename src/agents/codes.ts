import { asSentence, nearest, WaymarkError, type Catalogue } from "../base/index.ts";

/** Every code this room throws. What an agent does wrong in a turn is a result, not an error. */
export const agentCodes: Catalogue = {
  AGENTS_UNKNOWN: {
    what: "There is no agent of this name.",
    why: "It is mistyped, or it is neither known to Waymark nor configured.",
    fix: "List the agents with `waymark agents`, or configure one below `agents` in `.waymark/config.yaml`.",
  },
  AGENTS_NOT_INSTALLED: {
    what: "The program of the agent is not found.",
    why: "Agents are not part of Waymark: their programs are looked for on your PATH.",
    fix: "Install the agent with the line in the message, or configure its `command`.",
  },
  AGENTS_NO_COMMAND: {
    what: "A configured agent does not say what to start.",
    why: "An agent that Waymark does not know needs a `command`, and a `script` agent a `file`.",
    fix: "Add the key that the message names to the agent's settings.",
  },
  AGENTS_NOT_ALLOWED: {
    what: "The project configures this agent, and nobody allowed it here.",
    why: "A cloned project must not start programs without a person who saw what they are.",
    fix: "Look at it and allow it with `waymark allow --agent <name>`.",
  },
  AGENTS_SCRIPT: {
    what: "The file of a script agent cannot be used.",
    why: "It does not exist, is not YAML, or has keys that a script does not have.",
    fix: "Correct the file; docs/agents.md describes the format.",
  },
};

function failed(
  code: string,
  message: string,
  fix = agentCodes[code]?.fix ?? "",
  details: Readonly<Record<string, string>> = {},
): WaymarkError {
  return new WaymarkError({ code, message, fix, details });
}

export function unknownAgent(name: string, known: readonly string[]): WaymarkError {
  const near = nearest(name, known).map((other) => `\`${other}\``);
  const hint = near.length === 0 ? "" : ` Did you mean ${near.join(" or ")}?`;
  return failed("AGENTS_UNKNOWN", `There is no agent \`${name}\`.${hint}`);
}

export function notInstalled(name: string, program: string, install: string | undefined): WaymarkError {
  const fix =
    install === undefined
      ? `Install it, or correct \`command\` of \`agents.${name}\`.`
      : `Install it with \`${install}\`, or configure its \`command\`.`;
  return failed("AGENTS_NOT_INSTALLED", `The program \`${program}\` of the agent \`${name}\` is not found on your PATH.`, fix);
}

export function noCommand(name: string, key: string): WaymarkError {
  return failed(
    "AGENTS_NO_COMMAND",
    `The agent \`${name}\` has no \`${key}\` in the configuration.`,
    `Add \`${key}\` to \`agents.${name}\`.`,
  );
}

export function notAllowed(name: string, line: string): WaymarkError {
  const message = `The project configures the agent \`${name}\`, which needs your permission (\`waymark allow --agent ${name}\`). It would start: ${line}`;
  return failed("AGENTS_NOT_ALLOWED", message, `Look at it and allow it with \`waymark allow --agent ${name}\`.`, { agent: name });
}

export function scriptUnusable(file: string, reason: string): WaymarkError {
  return failed("AGENTS_SCRIPT", `The script \`${file}\` cannot be used: ${asSentence(reason)}`);
}
