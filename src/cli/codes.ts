import { nearest, WaymarkError, type Catalogue } from "../base/index.ts";

/** Codes of the command line itself. */
export const cliCodes: Catalogue = {
  CLI_UNKNOWN_COMMAND: {
    what: "There is no such command.",
    why: "It is mistyped, or belongs to another version.",
    fix: "Use the command the message suggests, or list all of them with `waymark --help`.",
  },
  CLI_UNKNOWN_OPTION: {
    what: "The command has no such option.",
    why: "It is mistyped, or belongs to another command.",
    fix: "Use the option the message suggests, or list all of them with `waymark <command> --help`.",
  },
  CLI_USAGE: {
    what: "The command line is not complete or not consistent.",
    why: "An argument is missing, too many were given, or two options exclude each other.",
    fix: "Look at the example in `waymark <command> --help`.",
  },
  CLI_BAD_VALUE: {
    what: "An option has a value that is not possible.",
    why: "See the message.",
    fix: "Give the value in the form the message names.",
  },
  CLI_NO_TERMINAL: {
    what: "The command needs a person at a terminal.",
    why: "It asks a question, and stdin or stdout is not a terminal.",
    fix: "Run it in a terminal, or give the option the message names.",
  },
  CLI_UNATTENDED: {
    what: "Nobody is there to say yes.",
    why: "Without a terminal, permissions are given only when `WAYMARK_ALLOW_UNATTENDED=1` is set.",
    fix: "Run the command in a terminal; or set `WAYMARK_ALLOW_UNATTENDED=1` on a computer where only you can start commands.",
  },
  CLI_PERSON_ONLY: {
    what: "This question can only be answered by a person at a terminal.",
    why: "The workflow marks it as a matter of authority, and stdin or stdout is not a terminal.",
    fix: "The person runs the command from the message in a terminal of their own.",
  },
  CLI_NOT_SHOWN: {
    what: "The answer was given without the whole question on the screen.",
    why: "The question is longer than one screen shows (1,000 characters), so an answer counts only where all of it is shown.",
    fix: "Run `waymark decide` without the answer: it shows the question, then asks.",
  },
  CLI_NO_WORKTREE: {
    what: "The worktree of the run is not here.",
    why: "It was removed from this computer while the run was open, with what its steps had left there. One on another computer is `ENGINE_FOLDER_ELSEWHERE`.",
    fix: "Put the folder back, or end the run with `waymark abort <run>` and start a new one.",
  },
  CLI_RUN_DRIVEN: {
    what: "A run is to be removed while it is being driven.",
    why: "A worker, here or on another computer, has a part of it, and what its agent does would be lost.",
    fix: "End it first with `waymark abort <run>`, or add `--force`: what its agents are doing then comes to nothing.",
  },
  CLI_DRIVEN: {
    what: "An agent that Waymark drives ran a command that it may not run.",
    why: "It does one step of one run. Commands that change runs are for people and for who drives.",
    fix: "Report your step with workflow_progress of the MCP server `waymark`, and end your turn.",
  },
  CLI_NO_ANSWER: {
    what: "No answer was given.",
    why: "The input ended or was interrupted, or the report of a question has no answer in it.",
    fix: "Repeat the command with the answer; nothing was recorded.",
  },
  CLI_NOT_FILLED_IN: {
    what: "A line was run as it was printed, with something left to fill in.",
    why: "A value still is a mark such as `<the result>`.",
    fix: "Put what the mark names in its place, and run the line again; nothing was changed.",
  },
  CLI_WHICH_RUN: {
    what: "The command does not say which run it is about.",
    why: "Several runs have the part of an id that was given; or none was named, and none is open, or several are.",
    fix: "Name the run; `waymark status` lists those that are open.",
  },
  CLI_NO_QUESTION: {
    what: "The run has no open question.",
    why: "All of them are answered, or none was asked yet.",
    fix: "Look at the run with `waymark status <run>`.",
  },
  CLI_FILE: { what: "A file named on the command line cannot be read.", why: "See the message.", fix: "Correct the path." },
  CLI_NO_WORKSPACE: {
    what: "There is no folder to work in.",
    why: "The command was started in your home folder, a folder for temporary files or the root of the disk, which are used only when you name them.",
    fix: "Go to the folder of your project, or name a folder with `-C <folder>`.",
  },
  CLI_NO_WORKFLOWS: {
    what: "There are no workflows to check.",
    why: "None of the folders that the message names has a workflow.",
    fix: "Go to the folder of your project or name it with `-C <folder>`, name a file, or write a first workflow with `waymark init --example`.",
  },
  CLI_DESCRIPTIONS_COLLIDE: {
    what: "Two workflows of the project have descriptions that are hard to tell apart.",
    why: "A request that means one of them fits the other as well, so the router asks instead of starting one, or a model takes the wrong one.",
    fix: 'Describe what only each of them does, or add to one of them what it leaves to the other: `not_for: ["...: that is <the other>"]`.',
  },
  CLI_SAME_TRIGGER: {
    what: "Two workflows of the project have the same trigger or example.",
    why: "A request with these words fits both, so the router asks which one is meant.",
    fix: "Leave the phrase to one of them, and give the other a phrase of its own.",
  },
  CLI_UNKNOWN_SETTING: {
    what: "There is no such setting.",
    why: "It is mistyped.",
    fix: "List all settings with `waymark config`.",
  },
  CLI_CONFIG: {
    what: "The configuration has errors.",
    why: "A key is unknown or a value is impossible.",
    fix: "Fix every problem the message lists.",
  },
  CLI_INIT_FILE: {
    what: "A client's configuration file cannot be edited safely.",
    why: "It is not what its client could read, or the place for servers holds something else.",
    fix: "Fix the file, or add the entry by hand as the message shows.",
  },
  CLI_TEST_FILE: {
    what: "A test file is not written as it should be.",
    why: "A key is unknown, missing or has a value of the wrong kind.",
    fix: "Fix what the message lists; `waymark test --help` shows a whole example.",
  },
  CLI_UNEXPECTED: {
    what: "Something failed that Waymark did not expect.",
    why: "This is a fault in Waymark.",
    fix: "Run the command again with `WAYMARK_LOG=debug` to see where it happened, and report it.",
  },
};

export function usage(message: string, fix?: string): WaymarkError {
  return failure("CLI_USAGE", message, fix);
}

export function badValue(message: string, fix?: string): WaymarkError {
  return failure("CLI_BAD_VALUE", message, fix);
}

export function failure(code: string, message: string, fix: string | undefined = cliCodes[code]?.fix): WaymarkError {
  return new WaymarkError({ code, message, ...(fix === undefined ? {} : { fix }) });
}

/** ` Did you mean ...?`, or nothing when no name is near. */
export function didYouMean(name: string, known: Iterable<string>): string {
  const near = nearest(name, known);
  return near.length === 0 ? "" : ` Did you mean ${near.map((entry) => `\`${entry}\``).join(" or ")}?`;
}

/** 0 done, 1 run failed or cancelled, 2 wrong usage, 3 the run waits for a person, 4 it is parked, 5 engine failure. */
export const exitCodes = { done: 0, failed: 1, usage: 2, waits: 3, parked: 4, engine: 5 } as const;

/** Failures of Waymark's own parts; everything else with a code is a refusal of what was asked. */
const ownFailures = /^(?:STORE|HOST|SANDBOX|HTTP|MCP)_/;

export function exitCodeOf(error: WaymarkError): number {
  if (error.code === "CLI_UNEXPECTED") return exitCodes.engine;
  if (/^(?:HOST_(?:(?:CONFIG|WORKSPACE|PATH|DATA_INSIDE)_|(?:WORKTREE|CHAT_OPEN)$)|STORE_NOT_ADOPTED$)/.test(error.code))
    return exitCodes.usage;
  return ownFailures.test(error.code) ? exitCodes.engine : exitCodes.usage;
}
