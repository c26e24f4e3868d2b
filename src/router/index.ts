/**
 * What a message asks for: a workflow, a question back, or a conversation. Decides by a command, a name, a model or words, in this order, and
 * says by which. Starts nothing, and never takes a routing line of the message for the model's own. Begin at `route.ts`.
 */
export { findCollisions } from "./find-collisions.ts";
export type { RouterResult } from "./parse-router-response.ts";
export { type AskModel, route } from "./route.ts";
export type { Candidate, Routed } from "./routed.ts";
export { bareName, readRoutingLine } from "./routing-line.ts";
