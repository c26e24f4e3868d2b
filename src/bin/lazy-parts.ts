import type { Knowledge } from "../knowledge/index.ts";
import type { Workspace } from "../ports/index.ts";

/** A workspace that is loaded when a run first goes through its files: most servers never need it. */
export function lazyWorkspace(load: () => Promise<Workspace>): Workspace {
  let loaded: Promise<Workspace> | undefined;
  const get = (): Promise<Workspace> => (loaded ??= load());
  return {
    inventory: async (request) => (await get()).inventory(request),
    async *scan(request) {
      yield* (await get()).scan(request);
    },
    read: async (root, path) => (await get()).read(root, path),
    readText: async (root, path) => (await get()).readText(root, path),
    planEdit: async (root, path, hash, edits) => (await get()).planEdit(root, path, hash, edits),
    planTextEdit: async (root, path, hash, edits) => (await get()).planTextEdit(root, path, hash, edits),
    applyEdits: async (root, edits, signal) => (await get()).applyEdits(root, edits, signal),
    undoEdits: async (root, edits, signal) => (await get()).undoEdits(root, edits, signal),
    writeFile: async (root, path, bytes, expected) => (await get()).writeFile(root, path, bytes, expected),
    matcher: async (globs) => (await get()).matcher(globs),
    rulesVersion: async () => (await get()).rulesVersion(),
    close: async () => (await loaded)?.close(),
  };
}

/** Knowledge that is loaded with the first question. */
export function lazyKnowledge(load: () => Promise<Knowledge>): Knowledge {
  let loaded: Promise<Knowledge> | undefined;
  const get = (): Promise<Knowledge> => (loaded ??= load());
  return {
    topic: async (id) => (await get()).topic(id),
    topics: async () => (await get()).topics(),
    retrieve: async (request) => (await get()).retrieve(request),
    analyse: async (request) => (await get()).analyse(request),
    ask: async (question) => (await get()).ask(question),
    specialists: async () => (await get()).specialists(),
    specialist: async (id) => (await get()).specialist(id),
    guides: async (request) => (await get()).guides(request),
    guide: async (name, markers) => (await get()).guide(name, markers),
    problems: async () => (await get()).problems(),
    refresh: () => void loaded?.then((knowledge) => knowledge.refresh()),
  };
}
