import { has, parseFile, type SourceFile } from "../../../source/index.ts";

/** Whether this is a machine: by its name `*.machine.yaml`, or by its key `machine`. A file with `steps` is one by its name only. */
export function recogniseMachine(file: SourceFile): boolean {
  if (/\.machine\.(?:ya?ml|json)$/i.test(file.path)) return true;
  // Cheaper than reading the whole file, and most files are something else.
  if (!/^[\s{]*["']?machine["']?\s*:/m.test(file.text)) return false;
  const { root } = parseFile(file);
  return has(root, "machine") && !has(root, "steps");
}
