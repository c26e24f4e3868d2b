import { join, sep } from "node:path";
import { describe, expect, test } from "vitest";
import { findWorkspace, projectFiles } from "./find-workspace.ts";

const home = "/home/ada";
const definitionFolders = [".waymark", ".other/workflows"];

interface Tree {
  readonly folders?: readonly string[];
  readonly files?: readonly string[];
}

/** The workspace of a folder on a disk that has these folders and files, with everything around them. */
function from(cwd: string, { folders = [], files = [] }: Tree, never: readonly string[] = [home, "/tmp"]): string | undefined {
  const isFolder = (path: string): boolean =>
    folders.some((folder) => folder === path || folder.startsWith(`${path}${sep}`)) ||
    files.some((file) => file.startsWith(`${path}${sep}`));
  const kindOf = (path: string): "file" | "folder" | undefined => (files.includes(path) ? "file" : isFolder(path) ? "folder" : undefined);
  return findWorkspace({ cwd, never, definitionFolders, kindOf });
}

describe("a folder of definitions", () => {
  test.each(definitionFolders)("the nearest folder upwards with %s is the workspace", (name) => {
    const folders = ["/home/ada/p", "/home/ada/p/app"].map((folder) => join(folder, name));
    expect(from("/home/ada/p/app/src/deep", { folders })).toBe("/home/ada/p/app");
    expect(from("/home/ada/p/other", { folders })).toBe("/home/ada/p");
    expect(from("/home/ada/p", { folders })).toBe("/home/ada/p");
  });

  test("all kinds count alike: the nearest one is taken, whichever it is", () => {
    const folders = ["/home/ada/p/.waymark", "/home/ada/p/app/.other/workflows"];
    expect(from("/home/ada/p/app/src", { folders })).toBe("/home/ada/p/app");
  });

  test("only a part of its name, or a file of its name, is not one", () => {
    expect(from("/home/ada/p/src", { folders: ["/home/ada/p/.other"] })).toBe("/home/ada/p/src");
    expect(from("/home/ada/p/src", { files: ["/home/ada/p/.waymark"] })).toBe("/home/ada/p/src");
  });

  test("inside the repository it comes before the repository", () => {
    const folders = ["/home/ada/p/.git", "/home/ada/p/app/.waymark"];
    expect(from("/home/ada/p/app/src", { folders })).toBe("/home/ada/p/app");
    expect(from("/home/ada/p/other", { folders })).toBe("/home/ada/p");
  });

  test("beside `.git` it is found", () => {
    expect(from("/home/ada/p/src", { folders: ["/home/ada/p/.git", "/home/ada/p/.waymark"] })).toBe("/home/ada/p");
  });

  test("above the repository it is not found", () => {
    expect(from("/home/ada/outer/p/src", { folders: ["/home/ada/outer/.waymark", "/home/ada/outer/p/.git"] })).toBe("/home/ada/outer/p");
  });

  test("it comes before a nearer project file", () => {
    const tree = { folders: ["/home/ada/p/.waymark"], files: ["/home/ada/p/app/package.json"] };
    expect(from("/home/ada/p/app/src", tree)).toBe("/home/ada/p");
  });
});

describe("a repository", () => {
  test("is the workspace of all its folders", () => {
    expect(from("/home/ada/p/a/b", { folders: ["/home/ada/p/.git"] })).toBe("/home/ada/p");
    expect(from("/home/ada/p", { folders: ["/home/ada/p/.git"] })).toBe("/home/ada/p");
  });

  test("may have `.git` as a file, as worktrees and submodules do", () => {
    const tree = { folders: ["/home/ada/p/.git", "/home/ada/p/.waymark"], files: ["/home/ada/p/module/.git"] };
    expect(from("/home/ada/p/module/src", tree)).toBe("/home/ada/p/module");
  });

  test("comes before a nearer project file", () => {
    expect(from("/home/ada/p/app/src", { folders: ["/home/ada/p/.git"], files: ["/home/ada/p/app/package.json"] })).toBe("/home/ada/p");
  });

  test("the nearest one counts", () => {
    expect(from("/home/ada/p/q/src", { folders: ["/home/ada/p/.git", "/home/ada/p/q/.git"] })).toBe("/home/ada/p/q");
  });
});

describe("a project file", () => {
  test.each(projectFiles)("%s makes its folder the workspace", (name) => {
    expect(from("/home/ada/p/src/deep", { files: [join("/home/ada/p", name)] })).toBe("/home/ada/p");
  });

  test("the nearest one counts", () => {
    expect(from("/home/ada/p/app/src", { files: ["/home/ada/p/package.json", "/home/ada/p/app/go.mod"] })).toBe("/home/ada/p/app");
  });

  test("a folder of its name is not one", () => {
    expect(from("/home/ada/p/src", { folders: ["/home/ada/p/package.json"] })).toBe("/home/ada/p/src");
  });

  test("outside home it counts as well", () => {
    expect(from("/srv/app/src", { files: ["/srv/app/package.json"] })).toBe("/srv/app");
  });
});

describe("nothing of it", () => {
  test("leaves the current folder", () => {
    expect(from("/home/ada/p/src", {})).toBe("/home/ada/p/src");
    expect(from("/srv/data", {})).toBe("/srv/data");
    expect(from("/tmp/x", {})).toBe("/tmp/x");
  });
});

const marks: readonly (readonly [string, Tree])[] = [
  ["definitions", { folders: ["/home/ada/.waymark", "/home/.waymark", "/tmp/.waymark", "/.waymark"] }],
  ["repositories", { folders: ["/home/ada/.git", "/home/.git", "/tmp/.git", "/.git"] }],
  ["project files", { files: ["/home/ada/package.json", "/home/package.json", "/tmp/package.json", "/package.json"] }],
];

describe.each(marks)("home, the temporary folder and the root with %s", (_title, tree) => {
  test.each(["/home/ada/thing", "/tmp/thing", "/srv/thing"])("do not capture %s", (cwd) => {
    expect(from(cwd, tree)).toBe(cwd);
  });

  test.each(["/home/ada", "/tmp", "/"])("are not chosen in %s", (cwd) => {
    expect(from(cwd, tree)).toBeUndefined();
  });

  test("a project in them is found all the same", () => {
    const project = { ...tree, files: [...(tree.files ?? []), "/home/ada/p/package.json", "/tmp/x/p/package.json"] };
    expect(from("/home/ada/p/src", project)).toBe("/home/ada/p");
    expect(from("/tmp/x/p/src", project)).toBe("/tmp/x/p");
  });
});

test("nothing above home and the temporary folder is looked at", () => {
  expect(from("/mnt/ada/x", { folders: ["/mnt/.waymark"] }, ["/mnt/ada"])).toBe("/mnt/ada/x");
  expect(from("/mnt/temp/x", { folders: ["/mnt/.git"] }, ["/mnt/ada", "/mnt/temp"])).toBe("/mnt/temp/x");
});

test("a home folder that is the root of the disk changes nothing", () => {
  expect(from("/srv/p/src", { folders: ["/srv/p/.git"] }, ["/"])).toBe("/srv/p");
});

test("paths are compared as places, not as texts", () => {
  expect(from("/home/ada/", { folders: ["/home/ada/.waymark"] }, ["/home/./ada/"])).toBeUndefined();
});
