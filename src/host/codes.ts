import { WaymarkError, type Catalogue, type Diagnostic, type ErrorFacts } from "../base/index.ts";

/** Every code this room throws or reports. */
export const hostCodes: Catalogue = {
  HOST_WORKSPACE_MISSING: {
    what: "The workspace folder does not exist or is not a folder.",
    why: "Runs belong to a workspace, so Waymark cannot begin without one.",
    fix: "Start Waymark inside the project, or name an existing folder as the workspace.",
  },
  HOST_WORKTREE: {
    what: "No worktree could be made for the run.",
    why: "The workspace is not a git repository with a commit, git is not installed, or git refused.",
    fix: "Run it in a git repository with at least one commit, or without `--worktree` and with `--permission`.",
  },
  HOST_PATH_OUTSIDE: {
    what: "A path leads out of the folder it must stay in.",
    why: "It is absolute, climbs with `..`, or passes a symbolic link that points elsewhere. Such files are never read or written.",
    fix: "Put the file inside the folder and name it by a relative path; replace the symbolic link by a copy.",
  },
  HOST_FILE_TOO_LARGE: {
    what: "A definition or configuration file is larger than allowed.",
    why: "Definitions are read whole; a file of that size is almost surely data that ended up in the wrong folder.",
    fix: "Move the data elsewhere, or split the definition into imported files.",
  },
  HOST_FILE_NOT_TEXT: {
    what: "A definition or configuration file is not valid UTF-8 text.",
    why: "Guessing another encoding could change what a command means.",
    fix: "Save the file as UTF-8.",
  },
  HOST_FILE_UNREADABLE: {
    what: "A file or folder exists but cannot be read.",
    why: "The operating system refused it, or it is not a regular file.",
    fix: "Check its permissions and what kind of file it is.",
  },
  HOST_WRITE_FAILED: {
    what: "A file could not be written.",
    why: "The disk is full, the folder is read-only or its permissions forbid it. The previous content of the file is untouched.",
    fix: "Make room or correct the permissions, then try again.",
  },
  HOST_OUTPUT_NOT_KEPT: {
    what: "The output of a command could not be kept, so the command was ended.",
    why: "Large output goes to a file in the store's folder, and that file could not be written.",
    fix: "Make room in the store's folder or let the command print less, then retry the step.",
  },
  HOST_DATA_INSIDE_WORKSPACE: {
    what: "The user's data folder is inside the workspace.",
    why: "Permissions kept there could be written by the project that asks for them.",
    fix: "Name a folder in it as the workspace, with `-C <folder>`, or set `WAYMARK_DATA_HOME` to a folder outside of it.",
  },
  HOST_DATA_UNSAFE: {
    what: "The folder or file with permissions can be changed by other users of this computer.",
    why: "Another user could allow commands in your name.",
    fix: "Make it yours alone: `chmod 700` for the folder, `chmod 600` for the file.",
  },
  HOST_VIEW_NAME: {
    what: "A view was given a file name that cannot be used on every system.",
    why: "Names of views are relative, without `..`, colons, backslashes or names reserved by Windows.",
    fix: "Use letters, digits, `.`, `-`, `_` and `/` in the name.",
  },
  HOST_YAML: {
    what: "A file is not valid YAML.",
    why: "It could not be parsed.",
    fix: "Correct the YAML at the place named.",
  },
  HOST_CLONE: {
    what: "A repository could not be cloned.",
    why: "The address cannot be reached, needs a password, or the folder cannot be written.",
    fix: "Try `git clone` with the same address in a terminal, which shows more.",
  },
  HOST_CLONE_REFUSED: {
    what: "A repository may not be cloned.",
    why: "Only addresses that the user's configuration names are cloned, and nothing that is there is replaced.",
    fix: "Use an address below one of `chat.clone_from`, or clone it yourself and use `/setcwd`.",
  },
  HOST_CHAT_OPEN: {
    what: "Another process has this chat open.",
    why: "Both would show what runs do, and do what was left open twice.",
    fix: "Write there, or end it first; `waymark chat --conversation <name>` opens a conversation of its own.",
  },
  HOST_CONFIG_INVALID: {
    what: "The configuration has errors, so nothing was started.",
    why: "A key is unknown, or a value has the wrong type.",
    fix: "Fix the settings named; `waymark config` shows each value and where it comes from.",
  },
  HOST_CONFIG_SYNTAX: {
    what: "A configuration file is not valid YAML, or its top level is not a map.",
    why: "Nothing of the file can be used.",
    fix: "Correct the file at the place named.",
  },
  HOST_CONFIG_UNKNOWN_KEY: {
    what: "A configuration file, variable or flag names a setting that does not exist.",
    why: "A mistyped setting would otherwise be ignored without a word.",
    fix: "Use one of the suggested names, or see `waymark config` for all settings.",
  },
  HOST_CONFIG_VALUE: {
    what: "A setting has a value of the wrong type or outside its range.",
    why: "The value cannot be used; the value of the layer below stays in force.",
    fix: "Give a value of the type named in the message.",
  },
  HOST_CONFIG_USER_ONLY: {
    what: "A project's configuration sets what only the user may set.",
    why: "A cloned project must not say who may start, decide or clone on your computer, where, or which database has your runs.",
    fix: "Move the setting to your own `config.yaml`; docs/configuration.md says where that is.",
  },
  HOST_CONFIG_OUTSIDE: {
    what: "A project's configuration points at a place outside the workspace.",
    why: "A cloned project must not make Waymark write to or read from other places of your computer.",
    fix: "Use a path inside the workspace, or make the setting in your own configuration, a variable or a flag.",
  },
};

/** The catalogue's advice for a code. */
export function fixOf(code: string): string {
  return hostCodes[code]?.fix ?? "";
}

function failed(code: string, message: string, more: Pick<ErrorFacts, "cause" | "details" | "fix"> = {}): WaymarkError {
  return new WaymarkError({ code, message, fix: fixOf(code), ...more });
}

export function leadsOut(path: string, folder: string): WaymarkError {
  return failed("HOST_PATH_OUTSIDE", `\`${path}\` leads out of \`${folder}\` by a symbolic link, so it is not followed.`);
}

export function tooLarge(path: string, bytes: number, largest: number): WaymarkError {
  return failed("HOST_FILE_TOO_LARGE", `\`${path}\` has ${bytes} bytes; at most ${largest} are read.`);
}

export function notText(path: string, cause: unknown): WaymarkError {
  return failed("HOST_FILE_NOT_TEXT", `\`${path}\` is not valid UTF-8 text.`, { cause });
}

export function unreadable(path: string, cause: unknown): WaymarkError {
  return failed("HOST_FILE_UNREADABLE", `\`${path}\` cannot be read: ${reasonOf(cause)}.`, { cause });
}

export function workspaceMissing(workspace: string, cause?: unknown): WaymarkError {
  return failed("HOST_WORKSPACE_MISSING", `The workspace \`${workspace}\` does not exist or is not a folder.`, { cause });
}

export function worktreeFailed(workspace: string, why: string, cause: unknown): WaymarkError {
  return failed("HOST_WORKTREE", `No worktree of \`${workspace}\` could be made: ${why}. Nothing was started.`, { cause });
}

export function cloneFailed(why: string, cause: unknown): WaymarkError {
  return failed("HOST_CLONE", `The repository could not be cloned: ${why}. Nothing was left behind.`, { cause });
}

export function cloneRefused(why: string, fix?: string): WaymarkError {
  return failed("HOST_CLONE_REFUSED", `The repository is not cloned: ${why}.`, fix === undefined ? {} : { fix });
}

export function noCloneFolder(): WaymarkError {
  return cloneRefused("`chat.roots` of the configuration names no folder for it", "Who runs Waymark adds one there.");
}

/** `holder`: the id of the process that has it; empty when that is not known. */
export function placeTaken(platform: string, holder: string): WaymarkError {
  const [, pid] = /^p(\d+)-/.exec(holder) ?? [];
  const who = pid === undefined ? "Another process" : `Process ${pid}`;
  const what = platform === "terminal" ? "this conversation" : "the test adapter";
  const message = `${who} has ${what} open on this store. Nothing was started.`;
  if (platform === "terminal") return failed("HOST_CHAT_OPEN", message);
  return failed("HOST_CHAT_OPEN", message, { fix: "Send your messages to it, or end it first; `--store <folder>` opens another store." });
}

export function pathOutside(path: string, folder: string): WaymarkError {
  return failed("HOST_PATH_OUTSIDE", `\`${path}\` leads out of \`${folder}\`. Only files inside that folder may be used.`);
}

export function writeFailed(path: string, cause: unknown): WaymarkError {
  const message = `\`${path}\` could not be written: ${reasonOf(cause)}. What was there before is unchanged.`;
  return failed("HOST_WRITE_FAILED", message, { cause });
}

export function outputNotKept(folder: string, cause: unknown): WaymarkError {
  const message = `The command was ended because its output could not be kept in \`${folder}\`: ${reasonOf(cause)}.`;
  return failed("HOST_OUTPUT_NOT_KEPT", message, { cause });
}

export function dataInsideWorkspace(folder: string, workspace: string): WaymarkError {
  const message = `The data folder \`${folder}\` is inside the workspace \`${workspace}\`, where the project itself could write permissions.`;
  return failed("HOST_DATA_INSIDE_WORKSPACE", message);
}

export function dataUnsafe(path: string, why: string): WaymarkError {
  return failed("HOST_DATA_UNSAFE", `\`${path}\` holds permissions but ${why}. Nothing in it is believed.`);
}

export function viewName(name: string): WaymarkError {
  return failed("HOST_VIEW_NAME", `\`${name}\` cannot be the file name of a view.`);
}

/** A configuration with errors is refused as a whole. */
export function configInvalid(problems: readonly Diagnostic[]): WaymarkError {
  const lines = problems.map(({ place, message }) => {
    const at = place === undefined ? "" : `${place.file}:${place.line}`;
    return at === "" || message.includes(at) ? message : `${at} ${message}`;
  });
  const message = `The configuration has ${problems.length} ${problems.length === 1 ? "error" : "errors"}: ${lines.join(" ")}`;
  return failed("HOST_CONFIG_INVALID", message, { details: { diagnostics: problems } });
}

/** A short reason out of an operating system error, for the middle of a sentence. */
export function reasonOf(cause: unknown): string {
  const code = (cause as { code?: unknown } | undefined)?.code;
  if (typeof code === "string" && code in reasons) return `${reasons[code]} (${code})`;
  return cause instanceof Error ? cause.message.replace(/\.$/, "") : String(cause);
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: "access is denied",
  EPERM: "the operation is not permitted",
  EROFS: "the file system is read-only",
  ENOSPC: "no space is left on the disk",
  EDQUOT: "the disk quota is used up",
  ENOENT: "it does not exist",
  ENOTDIR: "a part of the path is not a folder",
  EISDIR: "it is a folder",
  EMFILE: "too many files are open",
  ELOOP: "there are too many symbolic links",
};
