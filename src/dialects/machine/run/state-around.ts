import { machineRoot } from "../definition/index.ts";
import type { RunHandle } from "../../../engine/index.ts";
import type { MachineRun } from "./machine-run.ts";

/** The outermost state that a block belongs to, and which of its steps; one of a machine inside the state comes after all of them. In a program that calls the machine its blocks carry a prefix, and its root the same one. */
export function stateAround(
  { program, state: { scopes } }: Pick<RunHandle, "program" | "state">,
  { scope }: Pick<MachineRun, "scope">,
  block: string,
): { readonly state: string; readonly step: number } {
  const root = program.parts[scopes[scope]?.part ?? program.main]?.root ?? "";
  const [name = "", part = ""] = block.slice(root.length - machineRoot.length).split(".");
  return { state: name, step: /^\d+$/.test(part) ? Number(part) : Number.POSITIVE_INFINITY };
}
