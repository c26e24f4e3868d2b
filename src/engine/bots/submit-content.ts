import { isList, isObject, type Json } from "../../base/index.ts";
import type { EngineContext } from "../context.ts";
import type { BotRun } from "./bot-run.ts";

export interface Submitted {
  /** Paths that were written, relative to the workspace. */
  readonly files: readonly string[];
  readonly problems: readonly string[];
}

/** Files that an action hands in, written below the project area: nowhere else, each at once or not at all. */
export async function submitContent({ workspace, host }: EngineContext, { area }: BotRun, report: Json | undefined): Promise<Submitted> {
  const content = isObject(report) ? (report["content"] ?? report["files"]) : undefined;
  const given: readonly Json[] = isList(content)
    ? content
    : isObject(content)
      ? Object.entries(content).map(([path, text]) => ({ path, text }))
      : [];
  const files: string[] = [];
  const problems: string[] = [];
  for (const entry of given) {
    const path = isObject(entry) ? entry["path"] : undefined;
    const text = isObject(entry) ? (entry["text"] ?? entry["content"]) : undefined;
    if (typeof path !== "string" || typeof text !== "string") {
      problems.push("Content needs a path and a text.");
      continue;
    }
    const plain = path.replaceAll("\\", "/").replace(/^\.\//, "");
    if (area === "") problems.push(`${path}: no project area is chosen yet.`);
    else if (plain.startsWith("/") || /(?:^|\/)\.\.(?:\/|$)/.test(plain) || /^[a-z]:/i.test(plain))
      problems.push(`${path} lies outside the project area.`);
    else {
      const target = plain.startsWith(`${area}/`) ? plain : `${area}/${plain}`;
      const now = await workspace.read(host.workspace, target);
      const outcome = await workspace.writeFile(host.workspace, target, new TextEncoder().encode(text), now?.hash ?? null);
      if (outcome.status === "done") files.push(target);
      else problems.push(`${target}: ${outcome.reason}`);
    }
  }
  return { files, problems };
}
