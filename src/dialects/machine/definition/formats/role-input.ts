import type { Diagnostic, Json } from "../../../../base/index.ts";
import { isProjectPath, readChangedFiles } from "./changed-files.ts";
import { artifactOf, contextFilesFor, sessionsFolder } from "./context-matrix.ts";
import { fieldsAt, nameOf, sessionReader, textAt, textsAt, valueAt, wordAt, wordOf, type Fields } from "./session-reader.ts";
import { topFields } from "./session-json.ts";
import { ciResults, projectTypes, riskFlags, type SessionRole } from "./session-vocabulary.ts";

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
  const task = fieldsAt(fields, "task");
  if (task === undefined) missing(fields, "task");
  else checkTask(role, task, view);
  if (valueAt(fields, "project_type") === undefined) missing(fields, "project_type");
  else wordAt(fields, "project_type", projectTypes);
  checkRepoState(fields);
  for (const key of ["tools_available", "artifact_list"]) lists(fields, key);
  return reader.problems;
}

function missing({ reader, path }: Fields, key: string): void {
  const at = [...path, key];
  reader.error(at, "MACHINE_INPUT_MISSING", `${nameOf(at)} is missing.`, `Add ${nameOf(at)}.`);
}

function lists(fields: Fields, key: string): readonly string[] {
  if (valueAt(fields, key) === undefined) missing(fields, key);
  return textsAt(fields, key) ?? [];
}

function texts(fields: Fields, key: string): string {
  const text = textAt(fields, key) ?? "";
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
  lists(task, "risk_flags").forEach((flag, index) => wordOf(task, flag, ["risk_flags", index], riskFlags));
  checkContext(role, task, view);
  const changed = readChangedFiles(task);
  if (role === "Reviewer" && valueAt(task, "session_changed_files") === undefined) missing(task, "session_changed_files");
  const misplaced = (key: string, owner: string): void =>
    reader.error([...path, key], "MACHINE_INPUT_ROLE", `${nameOf([...path, key])} is given to ${role}.`, `Give it to ${owner} only.`);
  if (role !== "Reviewer" && changed.length > 0) misplaced("session_changed_files", "a Reviewer");
  if (role === "Researcher") texts(task, "research_question");
  else if (valueAt(task, "research_question") !== undefined) misplaced("research_question", "a Researcher");
  if (role !== "SpecAgent" && valueAt(task, "lean") !== undefined) misplaced("lean", "a SpecAgent");
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
    else if (file.startsWith(prefix) && !files.includes(file)) refuse(strangerSentence(role, file, session), "Leave it out.");
    else if (!file.startsWith(prefix) && artifactOf(file) !== undefined && existing.includes(file))
      refuse(`\`${file}\` lacks the path of its session.`, `Write \`${prefix}${session}/${file}\`.`);
  }
}

function strangerSentence(role: SessionRole, file: string, session: string): string {
  const inside = file.startsWith(`${sessionsFolder}/${session}/`);
  return inside ? `\`${file}\` does not exist, or is not for ${role}.` : `\`${file}\` belongs to another session.`;
}

function checkRepoState(fields: Fields): void {
  const repo = fieldsAt(fields, "repo_state");
  if (repo === undefined) return valueAt(fields, "repo_state") === undefined ? missing(fields, "repo_state") : undefined;
  texts(repo, "branch");
  if (valueAt(repo, "ci_status") === undefined) missing(repo, "ci_status");
  else wordAt(repo, "ci_status", ciResults);
  if (!Object.hasOwn(repo.held, "last_failed_step")) missing(repo, "last_failed_step");
  textAt(repo, "last_failed_step");
}
