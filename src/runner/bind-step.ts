import { own } from "../base/index.ts";
import { bindRole, requireRole, rolesIn, type EngineContext, type NamedRole } from "../engine/index.ts";
import type { RoleBinding } from "../ports/index.ts";
import { noRole } from "./codes.ts";
import type { DriveRequest } from "./drive-request.ts";

type Program = Parameters<typeof rolesIn>[1];
type Roles = Pick<DriveRequest, "roles">;

/** Who plays a role: who drives says, else the configuration, else the workflow. What a project's configuration says needs a permission. */
export async function bindStep(context: EngineContext, { roles = {} }: Roles, program: Program, role: NamedRole): Promise<RoleBinding> {
  const { name, ...bound } = role;
  const { fromProject: _from, ...configured } = own(context.settings.roles, name) ?? {};
  const binding = bindRole([own(roles, name), configured, bound]);
  if (!isSame(binding, bindRole([own(roles, name), bound]))) await requireRole(context, program, name);
  return binding;
}

function isSame(one: RoleBinding, other: RoleBinding): boolean {
  return one.agent === other.agent && one.model === other.model && one.permission === other.permission;
}

/** Every role of the program with who would play it. Throws `RUNNER_NO_ROLE` for a role of `--role` that it does not have. */
export async function bindRoles(context: EngineContext, request: Roles, program: Program): Promise<ReadonlyMap<string, RoleBinding>> {
  const declared = rolesIn(context, program);
  const unknown = Object.keys(request.roles ?? {}).find((name) => !Object.hasOwn(declared, name));
  if (unknown !== undefined) throw noRole(program.name, unknown, Object.keys(declared));
  const bound = new Map<string, RoleBinding>();
  for (const [name, binding] of Object.entries(declared)) bound.set(name, await bindStep(context, request, program, { name, ...binding }));
  return bound;
}
