import { own } from "../base/index.ts";
import { rolesIn, usualBinding, type EngineContext } from "../engine/index.ts";
import type { RoleBinding } from "../ports/index.ts";
import type { Session } from "./session.ts";

interface BoundRole extends RoleBinding {
  readonly role: string;
  /** Whose word is the strongest; nothing where nobody says anything. */
  readonly from?: string;
}

/** Every role of a workflow, with who plays it where the workflow or a configuration says so. */
export function rolesOf(context: EngineContext, program: Parameters<typeof rolesIn>[1]): readonly BoundRole[] {
  return Object.entries(rolesIn(context, program)).map(([role, binding]) => {
    const { fromProject } = own(context.settings.roles, role) ?? {};
    const from = fromProject === undefined ? "workflow" : fromProject ? "project's configuration" : "your configuration";
    const played = usualBinding(context, { name: role, ...binding });
    return { role, ...played, ...(Object.keys(played).length === 0 ? {} : { from }) };
  });
}

export function showRoles({ out }: Session, roles: readonly BoundRole[]): void {
  if (roles.length === 0) return;
  out.line();
  const rows = roles.map(({ role, agent = "", model = "", permission, from = "" }) => [role, agent, model, levelText(permission), from]);
  out.table(["ROLE", "AGENT", "MODEL", "PERMISSION", "SAID BY"], rows, "  ");
}

function levelText(permission: RoleBinding["permission"]): string {
  return permission === undefined ? "" : [permission.level, ...(permission.commands ?? [])].join(", ");
}
