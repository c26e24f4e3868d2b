import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { takeInventory } from "./inventory.ts";

const base = mkdtempSync(join(tmpdir(), "waymark-git-"));
afterAll(() => rmSync(base, { recursive: true, force: true }));

const env = { PATH: process.env["PATH"], HOME: base, GIT_CONFIG_NOSYSTEM: "1", XDG_CONFIG_HOME: base };
let count = 0;

/** What git would take in, itself asked. */
function askGit(root: string): string[] {
  const listed = execFileSync("git", ["ls-files", "-z", "--others", "--exclude-standard"], { cwd: root, env, encoding: "utf8" });
  return listed.split("\0").filter(Boolean).sort();
}

const name = fc.constantFrom("a", "b", "ab", "x.al", "y.al", "build", "[z]");
const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((names) => names.join("/"));
const rule = fc
  .tuple(
    fc.constantFrom("", "", "!"),
    fc.constantFrom("", "", "/"),
    fc.array(fc.constantFrom("a", "b", "ab", "*", "**", "?", "*.al", "x.al", "build", "[ab]", "\\[z\\]"), { minLength: 1, maxLength: 3 }),
    fc.constantFrom("", "", "/"),
  )
  .map(([not, top, names, end]) => `${not}${top}${names.join("/")}${end}`);
const rules = fc.array(rule, { maxLength: 4 }).map((lines) => lines.join("\n"));

test("the inventory takes exactly the files that git does not ignore", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(path, { minLength: 1, maxLength: 14 }),
      fc.record({ "": rules, "a/": rules, "a/b/": rules, "build/": rules, "[z]/": rules }),
      rules,
      async (files, ignored, exclude) => {
        const root = join(base, String(count++));
        mkdirSync(root);
        execFileSync("git", ["init", "-q", "--template="], { cwd: root, env });
        const written = Object.fromEntries(Object.entries(ignored).map(([folder, text]) => [`${folder}.gitignore`, text]));
        for (const [file, text] of Object.entries({
          ...Object.fromEntries(files.map((file) => [file, ""])),
          ...written,
          ".git/info/exclude": exclude,
        })) {
          try {
            mkdirSync(dirname(join(root, file)), { recursive: true });
            writeFileSync(join(root, file), text);
          } catch {
            // A name is a file here and a folder there.
          }
        }
        const found = await takeInventory({
          root,
          patterns: [],
          exclusions: [],
          scope: { kind: "workspace" },
          priority: [],
          gitignore: true,
        });
        expect(found.files.map((file) => file.path)).toEqual(askGit(root));
        rmSync(root, { recursive: true });
      },
    ),
    { numRuns: 150 },
  );
});
