/**
 * The list of dialects: one folder each, joined by its `dialect.ts`. Nothing else is done here. General code gets the list from the
 * composition root and never names one of them. Begin with a `dialect.ts`, then its `definition/`.
 */
export { dialects, loadWorkflow, referencesOf, workflowPlaces } from "./load-workflow.ts";
export { engineDialects, runtimes } from "./runtimes.ts";
