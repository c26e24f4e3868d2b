/**
 * What an agent in a role is shown. Pure.
 */
export { roleResultWanted, roleShown } from "./role-step.ts";
