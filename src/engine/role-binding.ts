import { defined, own } from "../base/index.ts";
import type { Program } from "../program/index.ts";
import type { RoleBinding, Run } from "../ports/index.ts";
import type { EngineContext } from "./context.ts";
import type { NamedRole } from "./runtime.ts";

/**
 * Who plays a role by what several say of it, the strongest first. A weaker one's model counts only with the agent that it names. What is
 * permitted belongs to the role and stays with it.
 */
export function bindRole(layers: readonly (RoleBinding | undefined)[]): RoleBinding {
  const said = layers.flatMap((layer) => layer ?? []);
  const first = said.findIndex(({ agent }) => agent !== undefined);
  const agent = said[first]?.agent;
  const model = said.find((layer, at) => layer.model !== undefined && (first < 0 || at <= first || layer.agent === agent))?.model;
  const permission = said.find((layer) => layer.permission !== undefined)?.permission;
  return defined({ agent, model, permission });
}

/** Who plays a role by the configuration and its workflow, for who drives the run by hand. */
export function usualBinding({ settings }: Pick<EngineContext, "settings">, { name, ...bound }: NamedRole): RoleBinding {
  const { fromProject: _from, ...configured } = own(settings.roles, name) ?? {};
  return bindRole([configured, bound]);
}

/** Every role of a program, with who plays it as the workflow says. */
export function rolesIn({ leaves }: Pick<EngineContext, "leaves">, program: Program): Readonly<Record<string, RoleBinding>> {
  const tasks = leaves.inProgram(program).flatMap(({ leaf, block }) => leaf.runs(block.args));
  const named = tasks.flatMap(({ role, agent, model, permission }) =>
    role === undefined ? [] : [[role, defined({ agent, model, permission })] as const],
  );
  return { ...Object.fromEntries(named), ...leaves.roles(program) };
}

/** The steps of a role, as a person allows that an agent does them. */
export function runOfRole(name: string, { agent, model, permission }: RoleBinding): Run {
  return { kind: "agent", role: name, text: `each step of the role \`${name}\``, ...defined({ agent, model, permission }) };
}

/** What the project's configuration lets agents do in a program, by the roles that both have. */
export function rolesOfProject(context: Pick<EngineContext, "leaves" | "settings">, program: Program): readonly Run[] {
  const bound = Object.entries(context.settings.roles).filter(([, { fromProject }]) => fromProject);
  if (bound.length === 0) return [];
  const roles = rolesIn(context, program);
  return bound.flatMap(([name, { fromProject: _from, ...binding }]) => (Object.hasOwn(roles, name) ? [runOfRole(name, binding)] : []));
}
