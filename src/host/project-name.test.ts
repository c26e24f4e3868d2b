import fc from "fast-check";
import { expect, test } from "vitest";
import { repositoryName } from "./project-name.ts";

test.each([
  ["git@Git.example:team/app.git", "git.example/team/app"],
  ["ssh://git@git.example:2222/team/app.git", "git.example/team/app"],
  ["https://git.example/team/app", "git.example/team/app"],
  ["https://ada:t0ken@git.example/team/app.git/", "git.example/team/app"],
  ["https://ada:t0k@en@git.example:8443/team/app.git", "git.example/team/app"],
  ["git.example:team/app", "git.example/team/app"],
  ["/srv/git/app.git", "/srv/git/app"],
  ["../app.git", "../app"],
  ["file:///srv/git/app.git", "file:///srv/git/app"],
])("%s is the project %s", (origin, name) => {
  expect(repositoryName(origin)).toBe(name);
});

test("nothing before an @ of an address is in the name", () => {
  const word = fc.stringMatching(/^[a-z0-9]{1,8}$/);
  const secret = fc.stringMatching(/^Zq[!-.:-~]{0,12}Zq$/);
  fc.assert(
    fc.property(word, secret, word, (user, token, path) => {
      expect(repositoryName(`https://${user}:${token}@git.example/${path}`)).toBe(`git.example/${path}`);
    }),
  );
});
