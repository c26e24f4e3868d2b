import { expect, test } from "vitest";
import { agentEnvironment } from "./agent-environment.ts";

const env = {
  PATH: "/bin",
  HOME: "/home/ada",
  LC_ALL: "C",
  XDG_CONFIG_HOME: "/c",
  https_proxy: "http://proxy",
  AWS_SECRET_ACCESS_KEY: "secret",
  MY_KEY: "mine",
  WAYMARK_TOKEN: "token",
  EMPTY: undefined,
};

test("an agent sees the allow-list and what its settings name, nothing else", () => {
  expect(agentEnvironment(env, ["MY_KEY", "LOG=a=b", "ABSENT"])).toEqual({
    PATH: "/bin",
    HOME: "/home/ada",
    LC_ALL: "C",
    XDG_CONFIG_HOME: "/c",
    https_proxy: "http://proxy",
    MY_KEY: "mine",
    LOG: "a=b",
  });
});

test("Waymark's own variables are never passed on, also when they are asked for", () => {
  const names = Object.keys(agentEnvironment(env, ["WAYMARK_TOKEN", "WAYMARK_PERSON_TOKEN=x"]));
  expect(names.filter((name) => name.startsWith("WAYMARK"))).toEqual([]);
});
