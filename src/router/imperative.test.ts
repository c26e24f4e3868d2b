import { describe, expect, test } from "vitest";
import { isImperative } from "./imperative.ts";

describe("a verb and what it is done to", () => {
  test.each([
    "fix the login",
    "harden the login",
    "dockerise billing",
    "squash that",
    "reprovision staging",
    "spin up a server",
    "plough through the list",
    "review pr #77",
    "update outdated packages",
    "release the packages that are ready",
  ])("%s", (text) => {
    expect(isImperative(text)).toBe(true);
  });
});

describe("anything else", () => {
  test.each([
    "",
    "the login",
    "login is broken",
    "build failed on main",
    "review took three days",
    "release notes for 5.3 are online",
    "deploying the site",
    "really the best",
    "lunch at noon",
    "yesterday the build was red",
    "thanks a lot",
    "enjoy the holidays",
    "question about the build",
  ])("%j", (text) => {
    expect(isImperative(text)).toBe(false);
  });
});
