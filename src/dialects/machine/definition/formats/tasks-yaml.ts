import { stringify } from "yaml";
import { isList, isObject, type Diagnostic, type JsonObject } from "../../../../base/index.ts";
import { checksAt, formatCheck, type Check } from "./check-entry.ts";
import { Fields, nameOf, shown, topFields, withKept, withUniqueIds, writtenForm, type Form } from "./session-reader.ts";
import { riskFlags, sessionFiles, taskStatuses, taskTypes, type RiskFlag, type TaskStatus, type TaskType } from "./session-vocabulary.ts";
import { openYaml } from "./session-yaml.ts";

/** The plan of a session, and the only home of task statuses. Keys are those of the file. */
export interface TaskFile {
  readonly project: { readonly name: string; readonly definition_of_done: readonly string[]; readonly kept: JsonObject };
  readonly tasks: readonly SessionTask[];
  readonly kept: JsonObject;
}

export interface SessionTask {
  readonly id: string;
  readonly status: TaskStatus;
  readonly type: TaskType;
  readonly title: string;
  readonly depends_on: readonly string[];
  readonly goal: string;
  readonly non_goals: readonly string[];
  readonly context_files: readonly string[];
  readonly files_expected: readonly string[];
  readonly acceptance_checks: readonly Check[];
  readonly risk_flags: readonly RiskFlag[];
  readonly done_when: readonly string[];
  readonly kept: JsonObject;
}

export interface ReadTasks {
  /** Absent when the file is not YAML, or has no tasks at all. */
  readonly file?: TaskFile;
  readonly problems: readonly Diagnostic[];
  /** For a file that is not YAML: its text with the quotes it lacks. */
  readonly repair?: string;
}

const text = (fields: Fields, key: string): string => fields.text(key) ?? "";
const texts = (fields: Fields, key: string): readonly string[] => fields.texts(key);
const projectForm: Form<TaskFile["project"]> = { name: text, definition_of_done: texts };
const taskForm: Form<SessionTask> = {
  id: (fields, key) => text(fields, key).trim(),
  status: (fields, key) => fields.word(key, taskStatuses) ?? "not-started",
  type: (fields, key) => fields.word(key, taskTypes) ?? "feat",
  title: text,
  depends_on: texts,
  goal: text,
  non_goals: texts,
  context_files: texts,
  files_expected: texts,
  acceptance_checks: (fields, key) => checksAt(fields, key, "manual") ?? [],
  risk_flags: riskFlagsOf,
  done_when: texts,
};
const aliases = { deps: "depends_on", files: "files_expected" };
const ignored = ["owner", "context_window"] as const;
/** What a task must say for itself; the last two only before the plan is left. */
export const neededTaskKeys = ["id", "goal", "acceptance_checks", "depends_on", "done_when"] as const;

/** Reads any known form of the file and reports what is not as documented. Never throws. */
export function readTasks(text: string, file: string = sessionFiles.tasks): ReadTasks {
  const opened = openYaml(text, file);
  const { reader, repair } = opened;
  const fields = topFields(opened.value === null ? { reader, value: {} } : opened);
  const held = fields && fields.value("tasks");
  const answer = { problems: reader.problems, ...(repair === undefined ? {} : { repair }) };
  if (fields === undefined) return answer;
  if (!isList(held)) {
    reader.error([], "MACHINE_MISSING_KEY", "`tasks` is missing or is not a list.", "Write a list of at least one task.");
    return answer;
  }
  const read = fields.maps("tasks", "a task", readTask);
  const tasks = withUniqueIds(fields, read, { key: "tasks", what: "task", prefix: "T-" });
  for (const [index, { id }] of tasks.entries()) {
    // Any unique text is an id.
    if (id !== read[index]?.id || /^T-\d+$/.test(id)) continue;
    const message = `The task id \`${shown(id)}\` is accepted as it is.`;
    reader.warn(["tasks", index, "id"], "MACHINE_ID_FORM", message, "New tasks are numbered `T-001`, `T-002`.");
  }
  for (const { message, task, code } of dependencyProblems(tasks))
    reader.error(["tasks", tasks.findIndex(({ id }) => id === task), "depends_on"], code, message, "Correct `depends_on`.");
  return { ...answer, file: { project: readProject(fields), tasks, kept: fields.kept(["project", "tasks"]) } };
}

function readProject(fields: Fields): TaskFile["project"] {
  const { reader } = fields;
  const value = fields.value("project");
  const fix = "Write a map with `name` and `definition_of_done`.";
  if (typeof value === "string") {
    reader.warn(["project"], "MACHINE_PROJECT_FORM", "`project` is a plain text; it is read as its name.", fix);
    return { name: value, definition_of_done: [], kept: {} };
  }
  if (value === undefined) reader.warn([], "MACHINE_PROJECT_FORM", "`project` is missing.", fix);
  else if (!isObject(value)) fields.wrongType(["project"], "a map");
  const project = new Fields(reader, isObject(value) ? value : {}, ["project"]);
  return project.read(projectForm);
}

function readTask(entry: Fields): SessionTask {
  const fields = entry.withAliases("MACHINE_TASK_ALIAS", aliases);
  reportOnTask(fields);
  return fields.read(taskForm);
}

function reportOnTask(fields: Fields): void {
  const { reader, held, path } = fields;
  for (const key of ignored)
    if (Object.hasOwn(held, key)) fields.warn([key], "MACHINE_TASK_IGNORED", "is kept and has no effect.", "Remove the key, or leave it.");
  for (const key of neededTaskKeys) {
    const value = fields.value(key);
    const empty = value === undefined || value === "" || (isList(value) && value.length === 0 && key !== "depends_on");
    const message = `${nameOf(path)} has no \`${key}\`.`;
    // A missing key has its own path, so that a gate can say which one it is.
    if (empty) reader.error([...path, key], "MACHINE_TASK_INCOMPLETE", message, `Add \`${key}\` to the task.`);
  }
  if (fields.value("status") === undefined)
    fields.warn([], "MACHINE_TASK_STATUS", "has no `status`; it is read as `not-started`.", "Add `status: not-started`.");
}

function riskFlagsOf(fields: Fields): readonly RiskFlag[] {
  const value = fields.value("risk_flags");
  if (typeof value === "string") return fields.texts("risk_flags").flatMap((text) => fields.wordOf(text, ["risk_flags"], riskFlags) ?? []);
  if (value !== undefined && !isList(value)) fields.wrongType(["risk_flags"], "a list of words");
  return (isList(value) ? value : []).flatMap((each, index) => fields.wordOf(each, ["risk_flags", index], riskFlags) ?? []);
}

/** The documented form: all keys, always in the same order, quoted where YAML needs it. Comments of an earlier text are not kept. */
export function writeTasks({ project, tasks, kept }: TaskFile): string {
  const written = tasks.map((task) => writtenForm(taskForm, { ...task, acceptance_checks: task.acceptance_checks.map(formatCheck) }));
  const fields = { project: writtenForm(projectForm, project), tasks: written };
  return stringify(withKept(fields, kept), {
    lineWidth: 0,
    blockQuote: false,
    aliasDuplicateObjects: false,
    doubleQuotedMinMultiLineLength: Number.MAX_SAFE_INTEGER,
  });
}

/** As much of a task as its order depends on. */
type OrderedTask = Pick<SessionTask, "id" | "depends_on">;

interface DependencyProblem {
  readonly code: "MACHINE_DEPENDENCY_UNKNOWN" | "MACHINE_DEPENDENCY_CYCLE";
  readonly task: string;
  readonly message: string;
}

/** Dependencies on tasks that do not exist, and tasks that wait for themselves; each circle once. */
export function dependencyProblems(tasks: readonly OrderedTask[]): readonly DependencyProblem[] {
  const known = new Map(tasks.map((task) => [task.id, task]));
  const unknown = tasks.flatMap(({ id, depends_on }) =>
    depends_on
      .filter((other) => !known.has(other))
      .map((other): DependencyProblem => ({
        code: "MACHINE_DEPENDENCY_UNKNOWN",
        task: id,
        message: `Task \`${id}\` depends on \`${other}\`, which is not a task.`,
      })),
  );
  const circles = circlesOf(known).map((circle): DependencyProblem => ({
    code: "MACHINE_DEPENDENCY_CYCLE",
    task: circle[0] ?? "",
    message: `Tasks wait for each other and can never begin: ${[...circle, circle[0] ?? ""].map((id) => `\`${id}\``).join(" → ")}.`,
  }));
  return [...unknown, ...circles];
}

/** Depth first without recursion: a plan may be one long chain. */
function circlesOf(tasks: ReadonlyMap<string, OrderedTask>): readonly (readonly string[])[] {
  const done = new Set<string>();
  const circles: string[][] = [];
  for (const root of tasks.keys()) {
    const trail: { id: string; next: number }[] = done.has(root) ? [] : [{ id: root, next: 0 }];
    const open = new Set(trail.map(({ id }) => id));
    for (let top = trail.at(-1); top !== undefined; top = trail.at(-1)) {
      const other = tasks.get(top.id)?.depends_on[top.next++];
      if (other === undefined) {
        done.add(top.id);
        open.delete(top.id);
        trail.pop();
      } else if (open.has(other)) {
        circles.push(trail.slice(trail.findIndex(({ id }) => id === other)).map(({ id }) => id));
      } else if (tasks.has(other) && !done.has(other)) {
        trail.push({ id: other, next: 0 });
        open.add(other);
      }
    }
  }
  return circles;
}
