import type { Diagnostic } from "../base/index.ts";
import type { TopicFiles } from "../ports/index.ts";
import type { Analysis, AnalysisRequest } from "./analysis.ts";
import { analyse } from "./analyse.ts";
import { ask, type Advice, type Question } from "./ask.ts";
import type { FindConstructs } from "./code/constructs.ts";
import type { ConversionGuide, GuideMarkers } from "./guides/conversion-guide.ts";
import { findGuide, findGuides, type GuidePlan, type GuideRequest } from "./guides/find-guides.ts";
import type { Retrieval, RetrievalRequest } from "./retrieval.ts";
import { resolveTopic, retrieve, type Shelves } from "./retrieve.ts";
import { loadSpecialists, type LoadedSpecialists, type Specialist } from "./specialists.ts";
import type { Topic, TopicEntry } from "./topic.ts";
import { TopicIndex, type LoadedIndex } from "./topic-index.ts";

export interface KnowledgeOptions {
  readonly files: TopicFiles;
  /** Finds names in code; a simple reading of the room's own unless given. */
  readonly constructs?: FindConstructs;
  /** Milliseconds. With a clock, folders are looked at again after half a minute; without one, only by `refresh`. */
  readonly now?: () => number;
}

export interface Knowledge {
  /** A topic by id or unique bare name, with its text. */
  topic(id: string): Promise<Topic | undefined>;
  /** All topics without their texts, the strongest layer's of each id. */
  topics(): Promise<readonly TopicEntry[]>;
  retrieve(request: RetrievalRequest): Promise<Retrieval>;
  analyse(request: AnalysisRequest): Promise<Analysis>;
  ask(question: Question): Promise<Advice>;
  specialists(): Promise<readonly Specialist[]>;
  specialist(id: string): Promise<Specialist | undefined>;
  guides(request: GuideRequest): Promise<GuidePlan>;
  guide(name: string, markers?: GuideMarkers): Promise<ConversionGuide | undefined>;
  /** What is wrong with files of the layers; nothing of it stops anything. */
  problems(): Promise<readonly Diagnostic[]>;
  /** Looks at the folders again at the next use; only changed files are read. */
  refresh(): void;
}

/** Costs nothing: the first search reads the folders, a lookup by id reads one file. */
export function openKnowledge(options: KnowledgeOptions): Knowledge {
  const { files, constructs } = options;
  const index = new TopicIndex(options);
  let loaded: { readonly index: LoadedIndex; readonly specialists: Promise<LoadedSpecialists> } | undefined;
  const shelves: Shelves = {
    files,
    index: () => index.load(),
    specialists: async () => {
      const current = await index.load();
      if (loaded?.index !== current) loaded = { index: current, specialists: loadSpecialists(files, current) };
      return await loaded.specialists;
    },
  };
  const entries = async (): Promise<TopicEntry[]> => [...(await index.load()).topics.values()].map(({ entry }) => entry);
  return {
    topic: (id) => resolveTopic(shelves, id.replace(/\.md$/i, "")),
    topics: entries,
    retrieve: (request) => retrieve(shelves, request),
    analyse: async (request) => analyse(request, await entries(), constructs),
    ask: (question) => ask(shelves, question),
    specialists: async () => [...(await shelves.specialists()).all.values()],
    specialist: async (id) => (await shelves.specialists()).all.get(id.toLowerCase()),
    guides: (request) => findGuides(shelves, request),
    guide: (name, markers) => findGuide(shelves, name, markers),
    problems: async () => [...(await index.load()).problems, ...(await shelves.specialists()).problems],
    refresh: () => index.refresh(),
  };
}
