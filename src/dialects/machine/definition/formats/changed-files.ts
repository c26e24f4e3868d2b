import { isList, isObject } from "../../../../base/index.ts";
import { nameOf, textAt, valueAt, wordAt, wrongType, type Fields } from "./session-reader.ts";

export const changeTypes = ["added", "modified", "deleted", "renamed"] as const;

/** A file that changed during the session; paths are relative to the project. */
export interface ChangedFile {
  readonly path: string;
  readonly change_type: (typeof changeTypes)[number];
  /** Where a renamed file was. */
  readonly old_path?: string;
}

/** Reads and checks `session_changed_files`; each path is there once. */
export function readChangedFiles(fields: Fields): readonly ChangedFile[] {
  const { reader, path } = fields;
  const value = valueAt(fields, "session_changed_files");
  if (value === undefined) return [];
  if (!isList(value)) {
    wrongType(fields, ["session_changed_files"], "a list of changed files");
    return [];
  }
  const seen = new Set<string>();
  return value.flatMap((held, index) => {
    const steps = ["session_changed_files", index];
    if (!isObject(held)) {
      wrongType(fields, steps, "a map with `path` and `change_type`");
      return [];
    }
    const file = readChangedFile({ reader, held, path: [...path, ...steps] });
    if (file !== undefined && seen.has(file.path))
      reader.error(
        [...path, ...steps],
        "MACHINE_CHANGED_FILE",
        `\`${file.path}\` is twice among the changed files.`,
        "List each file once.",
      );
    if (file !== undefined) seen.add(file.path);
    return file ?? [];
  });
}

function readChangedFile(entry: Fields): ChangedFile | undefined {
  const { reader, path } = entry;
  const refuse = (key: string, message: string, fix: string): void => reader.error([...path, key], "MACHINE_CHANGED_FILE", message, fix);
  const name = textAt(entry, "path");
  const change_type = wordAt(entry, "change_type", changeTypes);
  const old_path = textAt(entry, "old_path");
  if (name === undefined || !isProjectPath(name))
    refuse("path", `${nameOf([...path, "path"])} is not a path inside the project.`, "Write it relative to the project, with `/`.");
  if (valueAt(entry, "change_type") === undefined)
    refuse("change_type", `${nameOf([...path, "change_type"])} is missing.`, `Write one of ${changeTypes.join(", ")}.`);
  if (change_type === "renamed" && (old_path === undefined || !isProjectPath(old_path)))
    refuse("old_path", `${nameOf(path)} is renamed but does not say from where.`, "Add `old_path`.");
  if (change_type !== undefined && change_type !== "renamed" && old_path !== undefined)
    refuse("old_path", `${nameOf(path)} is ${change_type} but has an \`old_path\`.`, "Only renamed files have one.");
  if (name === undefined || change_type === undefined) return undefined;
  return { path: name, change_type, ...(old_path === undefined ? {} : { old_path }) };
}

/** Relative, with slashes, and never above the project. */
export function isProjectPath(path: string): boolean {
  if (path === "" || /^[/~]|^[A-Za-z]:|[\\\0]/.test(path)) return false;
  return path.split("/").every((part) => part !== "" && part !== "." && part !== "..");
}
