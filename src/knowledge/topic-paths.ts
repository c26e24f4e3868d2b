import type { TopicFile } from "../ports/index.ts";

/** Folders of a layer that hold topics; the first wins where both have the same. `domains` is the name that older collections use. */
const roots = ["topics", "domains"] as const;
const reserved = new Set<string>([...roots, "specialists"]);

/** Id of the topic in a file of a layer; undefined when it is not a topic. */
export function topicIdOf(path: string, rooted: boolean): string | undefined {
  const parts = path.split("/");
  const name = parts.pop() ?? "";
  if (!/\.md$/i.test(name) || /^(?:readme|_.*)\.md$/i.test(name) || parts.includes("samples")) return undefined;
  const [first] = parts;
  if (first === "specialists") return undefined;
  const inRoot = first !== undefined && reserved.has(first);
  if (rooted && !inRoot && first !== "guides") return undefined;
  if (!rooted && first === undefined) return undefined;
  return [...(inRoot ? parts.slice(1) : parts), name.replace(/\.md$/i, "")].join("/");
}

/** Whether a layer keeps its topics in one of the usual folders; otherwise every folder of it is a domain. */
export function isRooted(files: readonly TopicFile[]): boolean {
  return files.some(({ path }) => roots.some((root) => path.startsWith(`${root}/`)) || path.startsWith("guides/"));
}

/** The weaker place first, so that a stronger one of the same layer replaces it. */
export function byRoot(a: TopicFile, b: TopicFile): number {
  return rank(b.path) - rank(a.path) || (a.path < b.path ? -1 : 1);
}

function rank(path: string): number {
  const at = roots.findIndex((root) => path.startsWith(`${root}/`));
  return at < 0 ? roots.length : at;
}

/** Where a topic of this id can be in a layer, the likeliest first; empty when the text cannot be an id. */
export function placesOf(id: string): readonly string[] {
  if (!/^[^/\\\0]+(?:\/[^/\\\0]+)*$/.test(id) || /(?:^|\/)\.{1,2}(?:\/|$)/.test(id) || id.split("/").includes("samples")) return [];
  const [first = ""] = id.split("/");
  const places = roots.map((root) => `${root}/${id}.md`);
  return id.includes("/") && !reserved.has(first) ? [...places, `${id}.md`] : places;
}
