/**
 * Renderings of a run for agents and people. Pure: state in, text and data out. Never decides anything. Begin with
 * `position-view.ts`.
 */
export { actionStep, questionStep, type AtomicStep } from "./atomic-step.ts";
export { callText, positionView, type PositionFacts, type PositionView } from "./position-view.ts";
export { progressOf } from "./progress.ts";
export { lastCheckpoint, resumeText, shortState } from "./resume-view.ts";
