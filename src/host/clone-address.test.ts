import fc from "fast-check";
import { expect, test } from "vitest";
import { isBelowAddress, readCloneAddress } from "./clone-address.ts";

test.each([
  ["https://example.org/team/app.git", "url", "https://example.org/team/app.git"],
  ["HTTPS://Example.ORG/Team/App", "url", "https://example.org/Team/App"],
  ["https://example.org", "url", "https://example.org/"],
  ["http://127.0.0.1:8080/app", "url", "http://127.0.0.1:8080/app"],
  ["ssh://git@example.org:2222/team/app", "url", "ssh://git@example.org:2222/team/app"],
  ["git@Example.org:team/app.git", "ssh", "git@example.org:team/app.git"],
  ["git@example.org:", "ssh", "git@example.org:"],
  ["file:///srv/repositories/", "path", "/srv/repositories/"],
])("%s is an address", (given, kind, text) => {
  expect(readCloneAddress(given)).toEqual({ kind, text });
});

test.each([
  "",
  "ext::sh -c touch% /tmp/x",
  "ext::sh",
  "fd::17",
  "--upload-pack=touch /tmp/x",
  "-uhttps://example.org",
  "http://example.org/app",
  "git://example.org/app",
  "file://host/srv/app",
  "file:///srv/%61pp",
  "/srv/app",
  "C:app",
  "C:\\srv",
  "file:///srv/../etc",
  "ftp://example.org/app",
  "https://token@example.org/app",
  "https://ada:secret@example.org/app",
  "ssh://git:secret@example.org/app",
  "https://example.org/team/../other/app",
  "https://example.org/team/%2e%2E/other/app",
  "https://example.org/team/./app",
  "https://example.org/team//app",
  "https://example.org/team%2fapp",
  "https://example.org/app?x=1",
  "https://example.org/app#x",
  "https://example.org\\@evil.example/app",
  "https://example.org/a b",
  "https://example.org/a\nb",
  "-x@example.org:app",
  "git@-oProxyCommand=x:app",
  "git@example.org:../app",
  "../app",
  "app",
  "/srv/../etc",
  `https://example.org/${"a".repeat(2000)}`,
])("%s is none", (given) => {
  expect(readCloneAddress(given)).toBeUndefined();
});

const isBelow = (above: string, given: string): boolean => isBelowAddress(readCloneAddress(above)!, readCloneAddress(given)!);

test.each([
  ["https://example.org/team", "https://example.org/team/app", true],
  ["https://example.org/team/", "https://example.org/team/app", true],
  ["https://example.org/team/app", "https://example.org/team/app.git", true],
  ["https://example.org", "https://example.org/team/app", true],
  ["https://example.org/team", "https://example.org/team-of-others/app", false],
  ["https://example.org", "https://example.org.evil.example/app", false],
  ["https://example.org", "https://example.org:8443/app", false],
  ["https://example.org/team", "ssh://example.org/team/app", false],
  ["git@example.org:team", "git@example.org:team/app", true],
  ["git@example.org:", "git@example.org:team/app", true],
  ["git@example.org:team", "git@example.org:teams/app", false],
  ["git@example.org:team", "root@example.org:team/app", false],
  ["file:///srv/git", "file:///srv/git/app", true],
  ["file:///srv/git", "file:///srv/gitlab/app", false],
])("below %s is %s: %s", (above, given, expected) => {
  expect(isBelow(above, given)).toBe(expected);
});

test("what is below a folder of a host never leaves host and folder", () => {
  const part = fc.string({ maxLength: 8 });
  const joined = fc.array(part, { maxLength: 5 }).map((parts) => `https://example.org/team${parts.join("/")}`);
  fc.assert(
    fc.property(joined, (given) => {
      const address = readCloneAddress(given);
      if (address === undefined || !isBelowAddress(readCloneAddress("https://example.org/team")!, address)) return;
      const { hostname, pathname, username } = new URL(address.text);
      expect([hostname, username]).toEqual(["example.org", ""]);
      expect(`${pathname}/`.startsWith("/team/") || /^\/team\.git\/?$/.test(pathname)).toBe(true);
    }),
  );
});
