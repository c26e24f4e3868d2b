import { WaymarkError, type Catalogue, type ErrorFacts } from "../base/index.ts";
import type { ScanProblem } from "../ports/index.ts";

/** Every code this room throws, or reports beside a file. */
export const workspaceCodes: Catalogue = {
  WORKSPACE_MISSING: {
    what: "The folder to work on does not exist or is not a folder.",
    why: "Files are listed, scanned and edited below one folder, so nothing can begin without it.",
    fix: "Name an existing folder.",
  },
  WORKSPACE_GLOB: {
    what: "A file pattern cannot be read as a glob.",
    why: "It is empty, far too long, or written in a way that no path can match.",
    fix: "Write a glob relative to the folder, such as `**/*.al`.",
  },
  WORKSPACE_NOT_TEXT: {
    what: "An edit was planned for a file that is not text.",
    why: "Its bytes have no encoding in which the new text could be written.",
    fix: "Leave the file out, or save it as text and scan it again.",
  },
  WORKSPACE_WORKER: {
    what: "The threads that scan files cannot be started.",
    why: "The program of the worker is missing or broken, or the computer refuses more threads.",
    fix: "Install Waymark again; `scan-worker.js` must be beside its main file.",
  },
  WORKSPACE_CLOSED: {
    what: "The workspace was closed while it was in use.",
    why: "Waymark is ending.",
    fix: "Start Waymark again; an unfinished scan continues where it was recorded last.",
  },
  WORKSPACE_PATH_OUTSIDE: {
    what: "A path leads out of the folder that is worked on.",
    why: "It is absolute, climbs with `..`, or passes a symbolic link that points elsewhere. Such files are never read or written.",
    fix: "Name files below the folder; replace the symbolic link by a copy, or work on the folder it points to.",
  },
  WORKSPACE_PATH_RESERVED: {
    what: "A named path belongs to git, to installed packages or to Waymark's own store.",
    why: "`.git`, `node_modules` and `.waymark/store` are never part of a job.",
    fix: "Leave the path out.",
  },
  WORKSPACE_FILE_ABSENT: {
    what: "A file or folder that was named, or listed a moment ago, is not there.",
    why: "It was deleted, moved or misspelt, or it is a link that points nowhere.",
    fix: "Check the name. A file that vanished during a run is noticed, and its items are closed with that reason.",
  },
  WORKSPACE_FILE_NOT_REGULAR: {
    what: "A named path is not a regular file, or a named scope is not a folder.",
    why: "Only regular files are scanned; folders are given by the scope `directory`.",
    fix: "Name a file, or use the scope that fits.",
  },
  WORKSPACE_FILE_UNREADABLE: {
    what: "A file could not be read.",
    why: "The operating system refused it, usually for lack of permission.",
    fix: "Correct its permissions and scan it again.",
  },
  WORKSPACE_FILE_NAME: {
    what: "A file's name is not valid text.",
    why: "Its bytes are not UTF-8, so that it cannot be opened by name.",
    fix: "Rename the file.",
  },
  WORKSPACE_FOLDER_UNREADABLE: {
    what: "A folder could not be listed, so its files are missing from the inventory.",
    why: "The operating system refused it, usually for lack of permission.",
    fix: "Correct its permissions, or exclude the folder.",
  },
  WORKSPACE_FILE_OVERSIZED: {
    what: "A file is larger than the limit and was not read.",
    why: "Files of that size are almost surely data; reading them would cost memory that the scan has not got.",
    fix: "Exclude the file, or raise the limit of the workflow.",
  },
  WORKSPACE_FILE_EXHAUSTED: {
    what: "A file could not be scanned with the memory or time that a scan has.",
    why: "Its content makes the scan grow without bounds; the thread was ended, and all other files were scanned.",
    fix: "Exclude the file, split it, or lower `max file size`.",
  },
  WORKSPACE_FINDINGS_NOT_LISTED: {
    what: "A tool reported findings in a file that could not be looked through.",
    why: "Their places are looked up in the file, so they are counted here and not listed.",
    fix: "Do what the other problem of the file says, or leave the file out for the tool as well.",
  },
  SCAN_PATTERN_CUT_OFF: {
    what: "A pattern ran too long on a file and was cut off; the other patterns ran on it.",
    why: "The regular expression needs time that grows without bounds on this content, typically from nested repetitions.",
    fix: "Rewrite the regular expression without nested repetitions, and look at the named file by hand.",
  },
  SCAN_PATTERN_GIVEN_UP: {
    what: "A pattern was not tried on a file any more.",
    why: "It had to be cut off on several files before.",
    fix: "Rewrite the regular expression without nested repetitions and scan again.",
  },
};

function workspaceError(code: string, message: string, facts: Pick<ErrorFacts, "details" | "cause"> = {}): WaymarkError {
  return new WaymarkError({ code, message, fix: workspaceCodes[code]?.fix ?? "", ...facts });
}

export function workspaceMissing(root: string, cause?: unknown): WaymarkError {
  const message = `The folder \`${root}\` does not exist or is not a folder, so there is nothing to work on.`;
  return workspaceError("WORKSPACE_MISSING", message, { details: { root }, cause });
}

export function badGlob(glob: string, reason: string): WaymarkError {
  const shown = glob.slice(0, 200);
  return workspaceError("WORKSPACE_GLOB", `The file pattern \`${shown}\` is not a glob: ${reason}.`, { details: { glob: shown } });
}

export function notText(path: string, reason: string): WaymarkError {
  const message = `An edit was planned for \`${path}\`, which is not text: ${reason}.`;
  return workspaceError("WORKSPACE_NOT_TEXT", message, { details: { path } });
}

export function workerFailed(cause: unknown): WaymarkError {
  return workspaceError("WORKSPACE_WORKER", `A thread that scans files cannot be started: ${messageOf(cause)}.`, { cause });
}

export function closed(): WaymarkError {
  return workspaceError("WORKSPACE_CLOSED", "The workspace was closed while it was in use, because Waymark is ending.");
}

/** What is wrong with one path, in the shape that a scan reports. */
function problem(code: string, message: string, pattern?: string): ScanProblem {
  return pattern === undefined ? { code, message } : { code, message, pattern };
}

export const outside = (path: string): ScanProblem =>
  problem("WORKSPACE_PATH_OUTSIDE", `\`${path}\` leads out of the folder that is worked on, so it is neither read nor written.`);

export const reserved = (path: string): ScanProblem =>
  problem(
    "WORKSPACE_PATH_RESERVED",
    `\`${path}\` belongs to git, to installed packages or to Waymark's own store, which are never part of a job.`,
  );

export const absent = (path: string): ScanProblem =>
  problem("WORKSPACE_FILE_ABSENT", `\`${path}\` is not there, or is a link that points nowhere.`);

export const notRegular = (path: string, wanted: "file" | "folder"): ScanProblem =>
  problem("WORKSPACE_FILE_NOT_REGULAR", `\`${path}\` is not a ${wanted === "file" ? "regular file" : "folder"}.`);

export const badName = (path: string): ScanProblem =>
  problem("WORKSPACE_FILE_NAME", `The name \`${path}\` is not valid UTF-8 on disk, so the file cannot be opened. Rename it.`);

export const unreadable = (path: string, cause: unknown): ScanProblem =>
  problem("WORKSPACE_FILE_UNREADABLE", `\`${path}\` could not be read (${reasonOf(cause)}).`);

export const unreadableFolder = (path: string, cause: unknown): ScanProblem =>
  problem(
    "WORKSPACE_FOLDER_UNREADABLE",
    `The folder \`${path || "."}\` could not be listed (${reasonOf(cause)}), so its files are missing.`,
  );

export const oversized = (path: string, size: number, limit: number): ScanProblem =>
  problem("WORKSPACE_FILE_OVERSIZED", `\`${path}\` has ${size} bytes, more than the limit of ${limit}, and was not read.`);

export const exhausted = (path: string, reason: string): ScanProblem =>
  problem("WORKSPACE_FILE_EXHAUSTED", `\`${path}\` could not be scanned: ${reason}.`);

export const notListed = (path: string, tools: readonly string[], count: string): ScanProblem =>
  problem("WORKSPACE_FINDINGS_NOT_LISTED", `\`${path}\` could not be looked through, which leaves out ${count} of ${tools.join(" and ")}.`);

export const cutOff = (path: string, pattern: string, limitMs: number): ScanProblem =>
  problem(
    "SCAN_PATTERN_CUT_OFF",
    `The pattern \`${pattern}\` ran longer than ${limitMs} ms on \`${path}\` and was cut off there.`,
    pattern,
  );

export const givenUp = (path: string, pattern: string): ScanProblem =>
  problem(
    "SCAN_PATTERN_GIVEN_UP",
    `The pattern \`${pattern}\` was not tried on \`${path}\`: it had been cut off on several files before.`,
    pattern,
  );

/** The system's short name of a failure, without paths. */
export function reasonOf(cause: unknown): string {
  return codeOf(cause) ?? messageOf(cause);
}

export function codeOf(cause: unknown): string | undefined {
  return (cause as NodeJS.ErrnoException | undefined)?.code;
}

export function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
