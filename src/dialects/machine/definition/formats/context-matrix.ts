import { sessionFiles, type SessionRole } from "./session-vocabulary.ts";

/** The folder of all sessions, relative to the project. */
export const sessionsFolder = ".agents-work";

/** What a role reads before it works. `design-spec` and `research` are all files of their folders. */
export type ContextArtifact = "spec" | "acceptance" | "architecture" | "tasks" | "design-spec" | "research";

/** `always`: without it there is no dispatch. `if-exists`: given when it is there, and then it must not be left out. */
export interface ContextNeed {
  readonly artifact: ContextArtifact;
  readonly need: "always" | "if-exists";
}

const always = (artifact: ContextArtifact): ContextNeed => ({ artifact, need: "always" });
const ifExists = (artifact: ContextArtifact): ContextNeed => ({ artifact, need: "if-exists" });

export const contextMatrix: Readonly<Record<SessionRole, readonly ContextNeed[]>> = {
  SpecAgent: [],
  Architect: [always("spec"), always("acceptance"), ifExists("research")],
  Designer: [always("spec"), always("architecture"), always("acceptance")],
  Researcher: [always("spec"), ifExists("acceptance"), ifExists("architecture")],
  Planner: [always("spec"), always("acceptance"), always("architecture"), ifExists("design-spec"), ifExists("research")],
  Coder: [always("spec"), always("tasks"), ifExists("architecture"), ifExists("design-spec")],
  Reviewer: [always("spec"), always("tasks"), ifExists("architecture"), ifExists("design-spec")],
  QA: [always("spec"), always("acceptance"), always("tasks"), ifExists("design-spec")],
  Security: [always("tasks"), ifExists("architecture")],
  Integrator: [always("tasks"), always("acceptance")],
  Docs: [always("spec"), always("tasks"), always("acceptance"), ifExists("architecture")],
  Orchestrator: [],
};

export interface ContextFiles {
  /** With the path of the session before them, in the order of the matrix. */
  readonly files: readonly string[];
  /** What must be there and is not. */
  readonly missing: readonly string[];
}

/** The files a role gets, chosen from those that exist in the session folder (paths relative to it). */
export function contextFilesFor(role: SessionRole, session: string, existing: readonly string[]): ContextFiles {
  const files: string[] = [];
  const missing: string[] = [];
  for (const { artifact, need } of contextMatrix[role]) {
    const found = existing.filter((path) => artifactOf(path) === artifact).sort();
    files.push(...found.map((path) => `${sessionsFolder}/${session}/${path}`));
    if (found.length === 0 && need === "always") missing.push(usualPath(artifact));
  }
  return { files, missing };
}

/** Which artifact a path of the session folder is. */
export function artifactOf(path: string): ContextArtifact | undefined {
  if (/^design-specs\/[^/]+\.md$/.test(path)) return "design-spec";
  if (/^research\/[^/]+\.md$/.test(path)) return "research";
  return (["spec", "acceptance", "architecture", "tasks"] as const).find((kind) => sessionFiles[kind] === path);
}

function usualPath(artifact: ContextArtifact): string {
  if (artifact === "design-spec") return "design-specs/";
  return artifact === "research" ? "research/" : sessionFiles[artifact];
}
