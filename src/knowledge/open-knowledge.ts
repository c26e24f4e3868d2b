import type { Diagnostic } from "../base/index.ts";
import type { Analysis, AnalysisRequest } from "./analysis.ts";
import { analyse } from "./analyse.ts";
import { ask, type Advice, type Question } from "./ask.ts";
import type { ConversionGuide, GuideMarkers } from "./guides/extract-guide.ts";
import { findGuide, findGuides, type GuidePlan, type GuideRequest } from "./guides/find-guides.ts";
import { resolveTopic, retrieve, type Library, type Retrieval, type RetrievalRequest } from "./retrieve.ts";
import { loadSpecialists, type LoadedSpecialists, type Specialist } from "./specialists.ts";
import type { Topic, TopicEntry } from "./topic.ts";
import { TopicIndex, type IndexOptions, type LoadedIndex } from "./topic-index.ts";

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
  /** What is wrong with files of the layers; none of it stops anything. */
  problems(): Promise<readonly Diagnostic[]>;
}

/** Costs nothing: the first search reads the folders, a lookup by id reads one file. */
export function openKnowledge(options: IndexOptions): Knowledge {
  const { files } = options;
  const index = new TopicIndex(options);
  let loaded: { readonly index: LoadedIndex; readonly specialists: Promise<LoadedSpecialists> } | undefined;
  const library: Library = {
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
    topic: (id) => resolveTopic(library, id.replace(/\.md$/i, "")),
    topics: entries,
    retrieve: (request) => retrieve(library, request),
    analyse: async (request) => analyse(request, await entries()),
    ask: (question) => ask(library, question),
    specialists: async () => [...(await library.specialists()).all.values()],
    specialist: async (id) => (await library.specialists()).all.get(id.toLowerCase()),
    guides: (request) => findGuides(library, request),
    guide: (name, markers) => findGuide(library, name, markers),
    problems: async () => [...(await index.load()).problems, ...(await library.specialists()).problems],
  };
}
