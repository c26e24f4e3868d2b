import type * as Yaml from "yaml";

/** Loads the package when a file needs it. It is CommonJS: only its default export is there both in a bundle and without one. */
export async function loadYaml(): Promise<typeof Yaml.default> {
  return (await import("yaml")).default;
}
