import { isWaymarkError } from "../base/index.ts";
import type { TopicFiles, TopicLayer } from "../ports/index.ts";
import { parseTopic } from "./parse-topic.ts";
import type { Topic } from "./topic.ts";
import type { IndexedTopic } from "./topic-index.ts";
import { placesOf } from "./topic-paths.ts";

/** The topic of exactly this id, from the strongest layer that has it; no index is needed and one file is read. */
export async function readTopicById(files: TopicFiles, id: string): Promise<Topic | undefined> {
  const places = placesOf(id);
  for (const layer of [...files.layers].reverse()) {
    for (const path of places) {
      const text = await readOrSkip(files, layer, path);
      if (text !== undefined) return parseTopic({ id, text, file: `${layer.folder}/${path}`, layer: layer.name });
    }
  }
  return undefined;
}

/** The text of a topic the index knows; undefined when its file is gone. */
export async function readIndexed(files: TopicFiles, { entry, layer, path }: IndexedTopic): Promise<Topic | undefined> {
  const text = await readOrSkip(files, layer, path);
  return text === undefined ? undefined : parseTopic({ id: entry.id, text, file: `${layer.folder}/${path}`, layer: layer.name });
}

/** Samples beside a topic: the file its front matter names, or `samples/<name>.md`. */
export async function readSamples(files: TopicFiles, topic: Topic): Promise<string | undefined> {
  const holds = files.layers.filter(({ folder }) => topic.file.startsWith(`${folder}/`));
  const layer = holds.sort((a, b) => b.folder.length - a.folder.length)[0];
  if (layer === undefined) return undefined;
  const path = topic.file.slice(layer.folder.length + 1);
  const folder = path.slice(0, path.lastIndexOf("/") + 1);
  const name = path.slice(folder.length);
  for (const way of [...(topic.samples === undefined ? [] : [topic.samples.replace(/^\.\//, "")]), `samples/${name}`]) {
    if (way.split("/").includes("..")) continue;
    const text = await readOrSkip(files, layer, `${folder}${way}`);
    if (text !== undefined) return text;
  }
  return undefined;
}

/** A file that may not be read counts as absent here; the index lists it among its problems. */
async function readOrSkip(files: TopicFiles, layer: TopicLayer, path: string): Promise<string | undefined> {
  try {
    return await files.read(layer, path);
  } catch (error) {
    if (isWaymarkError(error)) return undefined;
    throw error;
  }
}
