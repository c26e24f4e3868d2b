import { forbiddenKeys } from "../../../../base/index.ts";
import { textAt, type Complain, type ExpressionChecker, type SourceNode } from "../../../../source/index.ts";
import { declaredNames } from "../declarations.ts";
import { stepsOf, type Resolved, type Workflow } from "../resolve.ts";
import { hasHole } from "../template.ts";
import { everywhereNames } from "../vocabulary.ts";
import { pathKeys, writesOf } from "../write-nodes.ts";

/** What every check of one workflow looks at. */
export interface CheckContext {
  readonly workflow: Workflow;
  readonly resolved: Resolved;
  readonly complain: Complain;
  readonly checker: ExpressionChecker | undefined;
  readonly names: KnownNames;
}

export interface KnownNames {
  /** Names by tier: declared, or written by some step. */
  readonly raw: ReadonlySet<string>;
  readonly state: ReadonlySet<string>;
  readonly computed: ReadonlySet<string>;
  /** Every name an expression of the workflow may read. */
  readonly flat: ReadonlySet<string>;
  /** A write path whose first key is a template makes any name possible. */
  readonly open: boolean;
}

/** Names the workflow knows, with those of the workflows it includes: later steps may read them by bare name. */
export function knownNames(workflow: Workflow, resolved: Resolved): KnownNames {
  const declared = declaredNames(workflow);
  const open = addWritten(workflow, declared);
  const flat = new Set([...everywhereNames, ...declared.raw, ...declared.state, ...declared.computed]);
  for (const step of stepsOf(workflow)) {
    if (textAt(step, "type") !== "include_workflow") continue;
    const id = textAt(step, "id");
    if (id !== undefined && !hasHole(id)) flat.add(id);
    const callee = resolved.calleeOf(step);
    if (callee !== undefined) for (const name of namesOfCallee(callee)) flat.add(name);
  }
  return { ...declared, flat, open };
}

function namesOfCallee(callee: Workflow): string[] {
  const declared = declaredNames(callee);
  addWritten(callee, declared);
  return [...declared.raw, ...declared.state, ...declared.computed];
}

function addWritten(workflow: Workflow, into: { raw: Set<string>; state: Set<string> }): boolean {
  let open = false;
  for (const path of writtenPaths(workflow)) {
    const keys = pathKeys(path);
    const [tier, name] = keys ?? [];
    if (keys === undefined || (keys.length > 1 && name === undefined)) open = true;
    else if ((tier === "raw" || tier === "state") && name !== undefined && !/\s/.test(name) && !forbiddenKeys.has(name))
      into[tier].add(name);
  }
  return open;
}

function writtenPaths(workflow: Workflow): string[] {
  const nodes = stepsOf(workflow).flatMap((step) => [...writesOf(step).map((write) => textAt(write.node, "path")), errorPath(step)]);
  return nodes.filter((path) => path !== undefined && path !== "") as string[];
}

function errorPath(step: SourceNode): string | undefined {
  const held = step.value as { on_sub_agent_error?: { error_state_path?: unknown } };
  const path = held.on_sub_agent_error?.error_state_path;
  return typeof path === "string" ? path : undefined;
}
