/** Endings of files by language. */
const endings: Readonly<Record<string, string>> = {
  al: "al dal",
  typescript: "ts mts cts",
  tsx: "tsx",
  javascript: "js mjs cjs jsx",
  csharp: "cs csx",
  python: "py pyi pyw",
  sql: "sql ddl pgsql",
  yaml: "yaml yml",
  c: "c m",
  cpp: "h cc cpp cxx hpp hh mm",
  java: "java",
  kotlin: "kt kts",
  scala: "scala",
  groovy: "groovy gradle",
  go: "go",
  rust: "rs",
  swift: "swift",
  dart: "dart",
  php: "php",
  css: "css",
  scss: "scss less",
  ruby: "rb rake",
  shell: "sh bash zsh",
  powershell: "ps1 psm1",
  lua: "lua",
  toml: "toml",
  ini: "ini cfg",
  terraform: "tf hcl",
  vb: "vb",
  markup: "html htm xml xlf svg csproj",
  json: "json jsonc",
  markdown: "md",
};
const byEnding = new Map(
  Object.entries(endings).flatMap(([language, list]) => list.split(" ").map((ending) => [ending, language] as const)),
);

const byName = new Map([
  ["dockerfile", "shell"],
  ["makefile", "shell"],
  ["jenkinsfile", "groovy"],
  ["gemfile", "ruby"],
  ["rakefile", "ruby"],
]);

/** The language of a file by its name; `text` when nothing is known about it. */
export function languageOf(path: string): string {
  const name = path.slice(path.lastIndexOf("/") + 1).toLowerCase();
  const dot = name.lastIndexOf(".");
  return (dot < 0 ? byName.get(name) : byEnding.get(name.slice(dot + 1))) ?? "text";
}
