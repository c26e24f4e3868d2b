/**
 * What is known about code, in topics: markdown files with front matter, in layers that replace each other. Finds topics, says
 * which of them a piece of code calls for, answers questions from their text, and reads conversion guides. Files come through a
 * port; the room never touches a disk, a clock or a network, and never invents an answer. Begin at `open-knowledge.ts`.
 */
export { openKnowledge, type Knowledge, type KnowledgeOptions } from "./open-knowledge.ts";
export type { Topic, TopicEntry } from "./topic.ts";
export type { Retrieval, RetrievalMatch, RetrievalRequest, TopicGroup, TopicSummary } from "./retrieval.ts";
export {
  analysisTypes,
  type Analysis,
  type AnalysisRequest,
  type AnalysisType,
  type Issue,
  type SuggestedTopic,
  type SuggestedWorkflow,
} from "./analysis.ts";
export type { FindConstructs } from "./code/constructs.ts";
export type { Advice, Question } from "./ask.ts";
export type { Specialist } from "./specialists.ts";
export type {
  BeforeAfter,
  ConversionGuide,
  ExtractedPattern,
  GuideMarkers,
  GuideSection,
  MethodMapping,
} from "./guides/conversion-guide.ts";
export type { GuidePlan, GuideRequest } from "./guides/find-guides.ts";
export { patternsOf } from "./guides/guide-patterns.ts";
export { guideSection } from "./guides/guide-sections.ts";
export { recommendOrder, stepsSkippedBy, type RecommendedOrder, type StepImpact } from "./guides/recommend-order.ts";
export { parseStep, parseVersion, stepName, stepsBetween } from "./versions.ts";
export { knowledgeCodes } from "./codes.ts";
