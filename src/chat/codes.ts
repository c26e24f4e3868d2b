import { defined, WaymarkError, type Catalogue } from "../base/index.ts";

/** Codes of what a chat refuses. Their messages are answers to people in a conversation. */
export const chatCodes: Catalogue = {
  CHAT_STRANGER: {
    what: "A person whom the configuration does not name wrote a message.",
    why: "Who writes may start work on this computer, so nobody may unless the configuration says so.",
    fix: "Add the person under `people` of your own configuration.",
  },
  CHAT_MAY_NOT: {
    what: "A person asked for something that the configuration does not allow them.",
    why: "`people` says who may start workflows, decide questions, and clone or change the folder.",
    fix: "Add the word to `may` of the person in your own configuration.",
  },
  CHAT_TOO_LONG: {
    what: "A message is too long to be kept.",
    why: "A message is a request, not a file.",
    fix: "Put the text into a file of the codebase and name the file.",
  },
  CHAT_FULL: {
    what: "Too many messages wait for their turn in a conversation.",
    why: "Messages of one conversation are done one after another, and they came faster than that.",
    fix: "Write it again when some of them are done. Slash commands and answers to questions are taken at once.",
  },
  CHAT_NO_COMMAND: {
    what: "There is no such slash command.",
    why: "Only the commands that `/help` lists are done without a model.",
    fix: "Write `/help` for the commands.",
  },
  CHAT_USAGE: {
    what: "A slash command lacks a word or has one too many.",
    why: "A command that is guessed may do something else than was wanted.",
    fix: "Write the command as the message shows it.",
  },
  CHAT_NO_RUN: {
    what: "The conversation does not follow this run.",
    why: "A run is decided, cancelled and resumed where it was started, or on the machine.",
    fix: "Write `/workflow status` for the runs of the conversation.",
  },
  CHAT_NO_QUESTION: {
    what: "There is no such open question here.",
    why: "It was answered, it belongs to another conversation, or it was not shown here yet.",
    fix: "Write `/workflow status` for what is open.",
  },
  CHAT_SEVERAL: {
    what: "Several questions, or several runs, are open, and the message does not say which one is meant.",
    why: "An answer counts for the question that it was given to.",
    fix: "Name the run, and the question where the run has several.",
  },
  CHAT_RESTARTED: {
    what: "A message that may answer a question was not done before Waymark was restarted.",
    why: "The question that is open now may be another one than its author saw.",
    fix: "Answer the question that is shown again.",
  },
  CHAT_NO_CODEBASE: {
    what: "The conversation has no codebase.",
    why: "It was given none, or the one that it had is gone from the store.",
    fix: "Write `/clone <address>` or `/setcwd <folder>`.",
  },
  CHAT_FOLDER: {
    what: "The folder cannot be used in this chat.",
    why: "People work below the folders that the configuration names, and links out of them do not count.",
    fix: "Name a folder below one of the roots of the chat.",
  },
  CHAT_NO_WORKFLOW: {
    what: "There is no workflow of this name in the codebase of the conversation.",
    why: "Only workflows that `/workflow list` shows can be started.",
    fix: "Correct the name, or write the workflow and `/workflow reload`.",
  },
  CHAT_NO_TEMPLATE: {
    what: "There is no command template of this name.",
    why: "Templates are files of `.archon/commands` in the codebase, or kept in the store.",
    fix: "Correct the name, or write the file.",
  },
  CHAT_NO_AGENT: {
    what: "The chat has no agent to talk to.",
    why: "The configuration names none, so messages only start workflows.",
    fix: "Name one in your own configuration, such as `chat: { agent: claude }`, and start the chat again.",
  },
  CHAT_INPUTS: {
    what: "The workflow needs inputs that a message cannot give.",
    why: "A message is one text; the workflow requires several values, or one that is not a text.",
    fix: "Start it on the machine: `waymark run <workflow> --input name=value`.",
  },
};

/** A refusal as the person reads it: what happened, and what to do next. */
export function refusal(code: keyof typeof chatCodes, message: string, fix: string | undefined = chatCodes[code]?.fix): WaymarkError {
  return new WaymarkError({ code, message, ...(fix === undefined ? {} : { fix }) });
}

/** The same refusal, of whatever room, as a chat says it. */
export function inOtherWords({ code, details }: WaymarkError, message: string, fix: string | undefined): WaymarkError {
  return new WaymarkError({ code, message, details, ...defined({ fix }) });
}
