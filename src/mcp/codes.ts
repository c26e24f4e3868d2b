import { defined, nearest, WaymarkError, type Catalogue, type JsonObject } from "../base/index.ts";
import { refused } from "../engine/index.ts";
import type { NextCall, ReplyPart, PersonReply, Tool } from "./tool.ts";

/** Codes of the MCP surface; refusals of the engine keep their own. */
export const mcpCodes: Catalogue = {
  MCP_UNKNOWN_TOOL: {
    what: "There is no tool with this name.",
    why: "The name is mistyped, or belongs to another server.",
    fix: "Call one of the tools that the server lists.",
  },
  MCP_OTHER_TOOLSET: {
    what: "The tool exists, but this server was started without its toolset.",
    why: "Only the canonical tools are offered by default, to keep the list short.",
    fix: "Use the canonical tool that the message names, or start the server with `--tools <toolset>`.",
    next: "nothing",
  },
  MCP_UNKNOWN_TOOLSET: {
    what: "There is no toolset with this name.",
    why: "The name given by `--tools` or in the configuration is mistyped.",
    fix: "Use one of the names in the message.",
  },
  MCP_BAD_ARGUMENT: {
    what: "An argument is missing or has the wrong type.",
    why: "The call does not fit the tool's input schema.",
    fix: "Repeat the call with the arguments as the message says.",
    next: "again",
  },
  MCP_UNKNOWN_ARGUMENT: {
    what: "An argument means nothing to this tool.",
    why: "Its name is mistyped, or it belongs to another tool.",
    fix: "Leave it out, or use the nearest name that the message gives.",
    next: "again",
  },
  MCP_READ_ONLY: {
    what: "This server only reads.",
    why: "It was started read-only, and the tool would change a run. This version has no such mode and never gives the code.",
    fix: "Use the reading tools, or connect to a server that was not started read-only.",
    next: "nothing",
  },
  MCP_OTHER_STRAND: {
    what: "A driven agent called for something beyond its own step.",
    why: "Its connection is for one step of one run: it can report it, ask a person, look at the run and its state, and write to the places that its result is for.",
    fix: "Do the step you were given, report it with workflow_progress, and end your turn.",
    next: "nothing",
  },
  MCP_NO_ANSWER: {
    what: "No answer to the question came with the call.",
    why: "The client cannot ask its user, or the user declined or closed the question.",
    fix: "Ask the person and call again with what they said, or let the person use the command in the message.",
    next: "next",
  },
  MCP_NO_PART: {
    what: "The part that was asked for is not there.",
    why: "The step or the value has changed since the reply that named the part, or the path is mistyped.",
    fix: "Ask for the reply again and follow the calls that it names.",
    next: "next",
  },
  MCP_PART_CHANGED: {
    what: "The value has changed since its beginning was shown.",
    why: "Something was written between two calls for parts of one value.",
    fix: "Throw away the parts you have and read it from the beginning.",
    next: "next",
  },
  MCP_NO_RESOURCE: {
    what: "There is no resource at this address.",
    why: "The address is mistyped, or the run is not in this workspace.",
    fix: "Use `waymark://runs/<id>`, `waymark://runs/<id>/journal` or `waymark://runs/<id>/report`.",
  },
  MCP_UNEXPECTED: {
    what: "Waymark failed in a way it does not know.",
    why: "This is a fault in Waymark, or in the computer it runs on. What was recorded before is safe.",
    fix: "Ask for the run's status and continue from there; report the fault with the log.",
    next: "status",
  },
};

function fixOf(code: string): string {
  return mcpCodes[code]?.fix ?? "";
}

/** What most names begin with says nothing about which one is meant. */
const ownPart = (name: string): string => name.replace(/^workflow[_.]/, "");

/** Suggests tools of a near name, else those whose description begins with the verb of the name; never one that destroys. */
export function unknownTool(name: string, known: readonly Pick<Tool, "name" | "description" | "destroys">[]): WaymarkError {
  const safe = known.filter(({ destroys }) => !destroys);
  const wanted = ownPart(name);
  const byPart = new Map(safe.map((tool) => [ownPart(tool.name), tool]));
  const named = nearest(wanted, byPart.keys()).flatMap((part) => byPart.get(part) ?? []);
  const [verb = ""] = wanted.toLowerCase().split("_");
  const meanings = safe.filter(({ description }) => description.toLowerCase().startsWith(`${verb} `)).slice(0, 3);
  const near = (named.length > 0 ? named : meanings).map((tool) => tool.name);
  const meant = near.length > 0 ? ` Did you mean ${quoted(near, "or")}?` : "";
  return refused("MCP_UNKNOWN_TOOL", `There is no tool \`${name}\`.${meant}`, "Call one of the listed tools.", { nearest: near });
}

export function otherToolset(name: string, toolset: string, instead: string | undefined): WaymarkError {
  const message = `\`${name}\` belongs to the toolset \`${toolset}\`, which this server was started without. Nothing was changed.`;
  const restart = `the server with \`waymark mcp --tools ${toolset}\``;
  const fix = instead === undefined ? `Start ${restart} to have it.` : `Call \`${instead}\` instead, or start ${restart}.`;
  return refused("MCP_OTHER_TOOLSET", message, fix, { toolset });
}

export function unknownToolset(name: string, known: readonly string[]): WaymarkError {
  const message = `There is no toolset \`${name}\`.${meantOne(nearest(name, known))} There are ${quoted(known, "and")}.`;
  const fix = `Name toolsets by \`--tools\`, with commas between them: ${known.join(", ")}.`;
  return refused("MCP_UNKNOWN_TOOLSET", message, fix, { toolsets: known });
}

export function noPart({ path, from }: ReplyPart, why: string): WaymarkError {
  return refused("MCP_NO_PART", `There is no part of \`${path}\` from ${from} on: ${why}.`, fixOf("MCP_NO_PART"), { path, from });
}

/** `begin` is the call that shows the value from its beginning. */
export function partChanged({ path, from }: ReplyPart, begin: NextCall | undefined): WaymarkError {
  const message = `The value${path === "" ? "" : ` of \`${path}\``} has changed since its beginning was shown: the part from ${from} on does not belong to it.`;
  return refused("MCP_PART_CHANGED", message, fixOf("MCP_PART_CHANGED"), { path, from, ...defined({ next_call: begin && { ...begin } }) });
}

export function badArgument(tool: string, problems: readonly string[], takes: string): WaymarkError {
  const message = `\`${tool}\` was called with wrong arguments: ${problems.join("; ")}. Nothing was changed.`;
  return refused("MCP_BAD_ARGUMENT", message, `Check the arguments and call it again: ${takes}.`, { problems });
}

export function unknownArgument(tool: string, name: string, known: readonly string[], takes: string): WaymarkError {
  const near = nearest(name, known);
  const message = `\`${name}\` means nothing to \`${tool}\`.${meantOne(near)} Nothing was changed.`;
  const details = defined({ nearest: near[0] });
  return refused("MCP_UNKNOWN_ARGUMENT", message, `Check the arguments and call it again: ${takes}.`, details);
}

export function noAnswer(message: string, fix: string, details: JsonObject): WaymarkError {
  return refused("MCP_NO_ANSWER", message, fix, details);
}

/** The user was asked and gave no answer. `about` is more of the question. */
export function notAnswered({ action, decision }: PersonReply, about: string, fix: string): WaymarkError {
  const did = action === "decline" ? "declined to answer" : "closed";
  return noAnswer(`The user ${did} the question \`${decision}\`${about === "" ? "." : about} It stays open.`, fix, { decision, action });
}

/** The same error with more facts. */
export function withDetails(error: WaymarkError, more: Readonly<Record<string, unknown>>): WaymarkError {
  const { code, message, fix, details, cause } = error;
  return new WaymarkError({ code, message, ...defined({ fix }), details: { ...details, ...more }, cause });
}

export function unexpected(cause: unknown): WaymarkError {
  const text = cause instanceof Error ? cause.message : String(cause);
  const code = "MCP_UNEXPECTED";
  return new WaymarkError({ code, message: `Waymark failed unexpectedly: ${text.slice(0, 400)}`, fix: fixOf(code), cause });
}

function meantOne([near]: readonly string[]): string {
  return near === undefined ? "" : ` Did you mean \`${near}\`?`;
}

function quoted(names: readonly string[], word: string): string {
  const all = names.map((name) => `\`${name}\``);
  return all.length < 2 ? all.join("") : `${all.slice(0, -1).join(", ")} ${word} ${all.at(-1) ?? ""}`;
}
