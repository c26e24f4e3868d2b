import { defined, isList, type Diagnostic, type Json } from "../../../../base/index.ts";
import { nameOf, sessionReader, topFields, type Fields } from "./session-reader.ts";
import { ciResults, projectTypes, riskFlags, sessionFiles, type SessionRole } from "./session-vocabulary.ts";

/** What the session looks like at the moment of a dispatch. */
export interface DispatchView {
  readonly session: string;
  readonly existing: readonly string[];
  /** Ids of `tasks.yaml`. */
  readonly taskIds: readonly string[];
}

/** All that keeps an input from being dispatched; nothing for a good one. Never throws. */
export function checkRoleInput(role: SessionRole, input: Json, view: DispatchView): readonly Diagnostic[] {
  const reader = sessionReader("input", () => undefined);
  const fields = topFields({ reader, value: input });
  if (fields === undefined) return reader.problems;
  const task = fields.map("task");
  if (task === undefined) missing(fields, "task");
  else checkTask(role, task, view);
  if (fields.value("project_type") === undefined) missing(fields, "project_type");
  else fields.word("project_type", projectTypes);
  checkRepoState(fields);
  for (const key of ["tools_available", "artifact_list"]) lists(fields, key);
  return reader.problems;
}

function missing(fields: Fields, key: string): void {
  fields.error([key], "MACHINE_INPUT_MISSING", "is missing.", `Add ${nameOf([...fields.path, key])}.`);
}

function lists(fields: Fields, key: string): readonly string[] {
  if (fields.value(key) === undefined) missing(fields, key);
  return fields.texts(key);
}

function texts(fields: Fields, key: string): string {
  const text = fields.text(key) ?? "";
  if (text.trim() === "") missing(fields, key);
  return text;
}

function checkTask(role: SessionRole, task: Fields, view: DispatchView): void {
  const { reader, path } = task;
  const id = texts(task, "id");
  if (id !== "" && id !== "meta" && !view.taskIds.includes(id))
    reader.error(
      [...path, "id"],
      "MACHINE_INPUT_TASK",
      `The task \`${id}\` is not in \`tasks.yaml\`.`,
      "Use an id of the plan, or `meta`.",
    );
  texts(task, "title");
  texts(task, "goal");
  for (const key of ["non_goals", "constraints", "acceptance_checks"]) lists(task, key);
  lists(task, "risk_flags").forEach((flag, index) => task.wordOf(flag, ["risk_flags", index], riskFlags));
  checkContext(role, task, view);
  const changed = readChangedFiles(task);
  if (role === "Reviewer" && task.value("session_changed_files") === undefined) missing(task, "session_changed_files");
  const misplaced = (key: string, owner: string): void =>
    task.error([key], "MACHINE_INPUT_ROLE", `is given to ${role}.`, `Give it to ${owner} only.`);
  if (role !== "Reviewer" && changed.length > 0) misplaced("session_changed_files", "a Reviewer");
  if (role === "Researcher") texts(task, "research_question");
  else if (task.value("research_question") !== undefined) misplaced("research_question", "a Researcher");
  if (role !== "SpecAgent" && task.value("lean") !== undefined) misplaced("lean", "a SpecAgent");
}

/** Session files follow the matrix exactly; files of the project may be added. */
function checkContext(role: SessionRole, task: Fields, { session, existing }: DispatchView): void {
  const given = lists(task, "context_files");
  const { files, missing: absent } = contextFilesFor(role, session, existing);
  const at = [...task.path, "context_files"];
  const refuse = (message: string, fix: string): void => task.reader.error(at, "MACHINE_INPUT_CONTEXT", message, fix);
  for (const file of absent)
    refuse(`${role} needs \`${file}\`, which the session does not have.`, "Let the role that writes it run first.");
  for (const file of files) if (!given.includes(file)) refuse(`${role} is not given \`${file}\`.`, "Add it to the context files.");
  const prefix = `${sessionsFolder}/`;
  for (const file of given) {
    if (!isProjectPath(file)) refuse(`\`${file}\` is not a path inside the project.`, "Write it relative to the project, with `/`.");
    else if (file.startsWith(prefix) && !files.includes(file)) {
      const inside = file.startsWith(`${prefix}${session}/`);
      refuse(inside ? `\`${file}\` does not exist, or is not for ${role}.` : `\`${file}\` belongs to another session.`, "Leave it out.");
    } else if (!file.startsWith(prefix) && artifactOf(file) !== undefined && existing.includes(file))
      refuse(`\`${file}\` lacks the path of its session.`, `Write \`${prefix}${session}/${file}\`.`);
  }
}

function checkRepoState(fields: Fields): void {
  const repo = fields.map("repo_state");
  if (repo === undefined) return fields.value("repo_state") === undefined ? missing(fields, "repo_state") : undefined;
  texts(repo, "branch");
  if (repo.value("ci_status") === undefined) missing(repo, "ci_status");
  else repo.word("ci_status", ciResults);
  if (!Object.hasOwn(repo.held, "last_failed_step")) missing(repo, "last_failed_step");
  repo.text("last_failed_step");
}

const changeTypes = ["added", "modified", "deleted", "renamed"] as const;

/** A file that changed during the session; paths are relative to the project. */
export interface ChangedFile {
  readonly path: string;
  readonly change_type: (typeof changeTypes)[number];
  /** Where a renamed file was. */
  readonly old_path?: string;
}

/** Reads and checks `session_changed_files`; each path is there once. */
function readChangedFiles(fields: Fields): readonly ChangedFile[] {
  const value = fields.value("session_changed_files");
  if (value !== undefined && !isList(value)) fields.wrongType(["session_changed_files"], "a list of changed files");
  const seen = new Set<string>();
  return fields.maps("session_changed_files", "a map with `path` and `change_type`", (entry) => {
    const file = readChangedFile(entry);
    if (file === undefined) return undefined;
    const message = `\`${file.path}\` is twice among the changed files.`;
    if (seen.has(file.path)) entry.reader.error(entry.path, "MACHINE_CHANGED_FILE", message, "List each file once.");
    seen.add(file.path);
    return file;
  });
}

function readChangedFile(entry: Fields): ChangedFile | undefined {
  const refuse = (key: string, says: string, fix: string): void => entry.error([key], "MACHINE_CHANGED_FILE", says, fix);
  const refuseWhole = (message: string, fix: string): void =>
    entry.reader.error([...entry.path, "old_path"], "MACHINE_CHANGED_FILE", `${nameOf(entry.path)} ${message}`, fix);
  const name = entry.text("path");
  const change_type = entry.word("change_type", changeTypes);
  const old_path = entry.text("old_path");
  if (name === undefined || !isProjectPath(name))
    refuse("path", "is not a path inside the project.", "Write it relative to the project, with `/`.");
  if (entry.value("change_type") === undefined) refuse("change_type", "is missing.", `Write one of ${changeTypes.join(", ")}.`);
  if (change_type === "renamed" && (old_path === undefined || !isProjectPath(old_path)))
    refuseWhole("is renamed but does not say from where.", "Add `old_path`.");
  if (change_type !== undefined && change_type !== "renamed" && old_path !== undefined)
    refuseWhole(`is ${change_type} but has an \`old_path\`.`, "Only renamed files have one.");
  if (name === undefined || change_type === undefined) return undefined;
  return { path: name, change_type, ...defined({ old_path }) };
}

/** Relative, with slashes, and never above the project. */
function isProjectPath(path: string): boolean {
  if (path === "" || /^[/~]|^[A-Za-z]:|[\\\0]/.test(path)) return false;
  return path.split("/").every((part) => part !== "" && part !== "." && part !== "..");
}

/** The folder of all sessions, relative to the project. */
export const sessionsFolder = ".agents-work";

/**
 * What a role reads before it works; `design-spec` and `research` are all files of their folders. One with `?` is given when it is
 * there, and then it must not be left out. Without any other there is no dispatch.
 */
export const contextMatrix: Readonly<Record<SessionRole, readonly string[]>> = {
  SpecAgent: [],
  Architect: ["spec", "acceptance", "research?"],
  Designer: ["spec", "architecture", "acceptance"],
  Researcher: ["spec", "acceptance?", "architecture?"],
  Planner: ["spec", "acceptance", "architecture", "design-spec?", "research?"],
  Coder: ["spec", "tasks", "architecture?", "design-spec?"],
  Reviewer: ["spec", "tasks", "architecture?", "design-spec?"],
  QA: ["spec", "acceptance", "tasks", "design-spec?"],
  Security: ["tasks", "architecture?"],
  Integrator: ["tasks", "acceptance"],
  Docs: ["spec", "tasks", "acceptance", "architecture?"],
  Orchestrator: [],
};

/**
 * The files a role gets, chosen from those that exist in the session folder (paths relative to it): with the path of the session before
 * them, in the order of the matrix. `missing`: what must be there and is not.
 */
export function contextFilesFor(role: SessionRole, session: string, existing: readonly string[]): Record<"files" | "missing", string[]> {
  const files: string[] = [];
  const missing: string[] = [];
  for (const need of contextMatrix[role]) {
    const artifact = need.replace("?", "");
    const found = existing.filter((path) => artifactOf(path) === artifact).sort();
    files.push(...found.map((path) => `${sessionsFolder}/${session}/${path}`));
    // The folders are never demanded, so whatever is missing is a file with a form.
    if (found.length === 0 && need === artifact) missing.push(sessionFiles[artifact as keyof typeof sessionFiles]);
  }
  return { files, missing };
}

/** Which artifact of the matrix a path of the session folder is. */
function artifactOf(path: string): string | undefined {
  if (/^design-specs\/[^/]+\.md$/.test(path)) return "design-spec";
  if (/^research\/[^/]+\.md$/.test(path)) return "research";
  return (["spec", "acceptance", "architecture", "tasks"] as const).find((kind) => sessionFiles[kind] === path);
}
