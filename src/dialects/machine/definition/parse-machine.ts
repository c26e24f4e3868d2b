import { defined, isObject, type Diagnostic } from "../../../base/index.ts";
import {
  child,
  collectInto,
  importKey,
  parseFile,
  readRouting,
  sortDiagnostics,
  textAt,
  textDiagnostics,
  type CallingSet,
  type ExpressionChecker,
  type LoweredWorkflow,
  type SourceFile,
  type SourceNode,
  type WorkflowInfo,
} from "../../../source/index.ts";
import { checkConditions } from "./check/check-conditions.ts";
import { checkMachineShape } from "./check/check-machine-shape.ts";
import { checkReferences } from "./check/check-references.ts";
import { checkStates } from "./check/check-states.ts";
import { checkWays } from "./check/check-ways.ts";
import { lowerMachine } from "./lower.ts";
import type { MachineDefinition } from "./machine-definition.ts";
import { readArtifacts, readDone, readInputs, readModes, readRoles, textsOr, type RoleFiles } from "./read/read-machine.ts";
import { readStates } from "./read/read-states.ts";
import { calledByMachine } from "./references.ts";
import { addedInputs, machineDefaults, machineFaults } from "./vocabulary.ts";

export interface MachineOptions {
  readonly source: WorkflowInfo["source"];
  /** Instructions of roles by the reference as written; without them a missing file is not reported. */
  readonly files?: RoleFiles;
  /** Without one, conditions are not checked. */
  readonly checker?: ExpressionChecker;
}

export interface ParsedMachine {
  /** Absent when there is at least one error. */
  readonly definition?: MachineDefinition;
  /** As much as could be read when the file has errors. */
  readonly info: WorkflowInfo;
  /** All problems, in the order of the text. */
  readonly diagnostics: readonly Diagnostic[];
}

/** Reads, checks and completes a machine. Never throws for what the file holds. */
export function parseMachine(file: SourceFile, options: MachineOptions): ParsedMachine {
  const parsed = parseFile(file);
  const found: Diagnostic[] = textDiagnostics(parsed.problems, machineFaults);
  const { root } = parsed;
  const complain = collectInto(found);
  const definition = root === undefined ? undefined : readDefinition(root, options.files ?? {});
  // Values of a file with syntax errors are a guess, so what else is wrong with them is not worth reporting.
  if (root !== undefined && definition !== undefined && !parsed.broken) {
    checkMachineShape(root, complain);
    checkStates(root, complain);
    checkReferences({ root, complain, ...defined({ files: options.files }) });
    checkConditions(root, complain, options.checker);
    checkWays(definition, root, complain);
  }
  const diagnostics = sortDiagnostics(found, file.path);
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  // Files with instructions are not given when a single file is described.
  const problems = errors.filter(({ code }) => code !== "MACHINE_NO_INSTRUCTIONS").length;
  const { name = "", description = "", version = machineDefaults.version, inputs = {} } = definition ?? {};
  const info: WorkflowInfo = {
    name,
    description,
    routing: readRouting(root),
    version,
    inputs,
    path: file.path,
    imports: [],
    includes: [...new Set(calledByMachine(file).map((each) => each.name))],
    definition: root !== undefined && isObject(root.value) ? root.value : {},
    source: options.source,
    problems,
  };
  return definition === undefined || errors.length > 0 ? { info, diagnostics } : { definition, info, diagnostics };
}

function readDefinition(root: SourceNode, files: RoleFiles): MachineDefinition {
  const name = textAt(root, "machine") ?? "";
  const { modes, defaultMode } = readModes(root);
  const limits = Object.fromEntries(
    Object.entries(modes).flatMap(([mode, { mostFiles }]) => (mostFiles === undefined ? [] : [[mode, mostFiles]])),
  );
  return {
    name,
    title: textAt(root, "title") ?? name,
    description: textAt(root, "description") ?? "",
    version: textAt(root, "version") ?? machineDefaults.version,
    inputs: { ...readInputs(root), ...addedInputs(Object.keys(modes), defaultMode) },
    folder: textAt(root, "sessions") ?? machineDefaults.sessions,
    modes,
    defaultMode,
    artifacts: readArtifacts(root),
    roles: readRoles(root, files),
    states: readStates(child(root, "states"), { limits }),
    done: readDone(root),
    precedence: textsOr(root, "precedence", machineDefaults.precedence),
    projectInstructions: textsOr(root, "project_instructions", machineDefaults.projectInstructions),
  };
}

/** Instructions of roles come in as imports, so that they are pinned with the run. */
export function loadMachine({ main, imports }: CallingSet, checker?: ExpressionChecker): LoweredWorkflow {
  const own = importKey(main.path, "");
  const files = Object.fromEntries(
    Object.entries(imports).flatMap(([key, file]) => (key.startsWith(own) ? [[key.slice(own.length), file]] : [])),
  );
  const { definition, info, diagnostics } = parseMachine(main, { source: main.source, files, ...defined({ checker }) });
  const place = { file: main.path, line: 1, column: 1 };
  const named = { ...info, name: info.name === "" ? main.name : info.name };
  return { info: named, diagnostics, ...(definition === undefined ? {} : { program: lowerMachine(definition, place) }) };
}
