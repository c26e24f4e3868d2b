import { posix } from "node:path";
import { expect, test } from "vitest";
import { userFolders } from "./user-folders.ts";

const slashes = (path: string): string => path.replaceAll("\\", "/");

test("each system has its own places", () => {
  const at = (platform: NodeJS.Platform, env: Record<string, string>): string[] => {
    const { data, config } = userFolders(env, platform);
    return [slashes(data), slashes(config)];
  };
  expect(at("linux", { HOME: "/h" })).toEqual(["/h/.local/share/waymark", "/h/.config/waymark"]);
  expect(at("linux", { HOME: "/h", XDG_DATA_HOME: "/d", XDG_CONFIG_HOME: "relative" })).toEqual(["/d/waymark", "/h/.config/waymark"]);
  expect(at("darwin", { HOME: "/h" })).toEqual(["/h/Library/Application Support/waymark", "/h/Library/Application Support/waymark"]);
  expect(at("win32", { USERPROFILE: "/h", LOCALAPPDATA: "/l", APPDATA: "/r" })).toEqual(["/l/waymark", "/r/waymark"]);
});

test("Waymark's own variables win", () => {
  const { data, config } = userFolders(
    { HOME: "/h", XDG_DATA_HOME: "/d", WAYMARK_DATA_HOME: "/own/data", WAYMARK_CONFIG_HOME: "/own/config" },
    "linux",
  );
  expect([data, config].map((path) => posix.normalize(slashes(path)))).toEqual(["/own/data", "/own/config"]);
});
