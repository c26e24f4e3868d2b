import { join } from "node:path";
import type { ViewFiles } from "../ports/index.ts";
import { pathOutside, viewName } from "./codes.ts";
import { insideWorkspace, pathForOutput } from "./workspace-path.ts";
import { writeFileAtomic } from "./write-file-atomic.ts";

/** Views go to `views/` in the store's folder. */
export function createViewFiles(storeFolder: string): ViewFiles {
  const folder = join(storeFolder, "views");
  return {
    async write(name, text) {
      if (!isPortableName(name)) throw viewName(name);
      const path = join(folder, ...name.split("/"));
      // A symbolic link that someone put below the folder would lead the write elsewhere.
      if (!(await insideWorkspace(storeFolder, path))) throw pathOutside(name, pathForOutput(folder));
      await writeFileAtomic(path, text);
      return pathForOutput(path);
    },
  };
}

/** Whether a relative file name, perhaps with `/`, is possible and means the same on every system. */
export function isPortableName(name: string): boolean {
  return name.length <= 500 && name.split("/").every(isPortablePart);
}

function isPortablePart(part: string): boolean {
  if (!/^[^\u0000-\u001f\u007f<>:"/\\|?*]{1,200}$/u.test(part)) return false;
  if (part === "." || part === ".." || /[. ]$/.test(part)) return false;
  return !/^(con|prn|aux|nul|com\d|lpt\d)(\..*)?$/i.test(part);
}
