/**
 * The files that a run works on, on this computer: which ones there are, what patterns find in them on all cores, and guarded edits
 * that can be undone. Implements the Workspace port. Never reads or writes outside the root it is given, also not through a link,
 * and never changes a file whose content is not the one that was planned for. Begin in create-workspace.ts; the threads that scan
 * run scan-worker.ts, which is built as a file of its own.
 */
export { workspaceCodes } from "./codes.ts";
export { type WorkspaceOptions, createWorkspace } from "./create-workspace.ts";
