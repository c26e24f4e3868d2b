/** Large values are written in journal and snapshot text as `{"$blob":"<sha256>","bytes":N}`. */
const marker = /\{"\$blob":"([0-9a-f]{64})"/g;

/** Hashes of the blobs that a JSON text refers to, each once. */
export function blobReferences(text: string): readonly string[] {
  if (!text.includes('{"$blob":"')) return [];
  return [...new Set(Array.from(text.matchAll(marker), ([, hash = ""]) => hash))];
}
