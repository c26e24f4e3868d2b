import type { People, Right } from "../chat/index.ts";
import type { ChatRequest } from "../cli/index.ts";
import type { Config } from "../host/index.ts";

type Instead = Readonly<Partial<Record<Right, string>>>;

const nobodyHere = "Nobody can be given this right here.";
/** Nobody proves who they are there. */
const insteadOfTest: Instead = {
  decide: nobodyHere,
  clone: "The test adapter works in the folder where it was started: waymark chat --test-adapter <port> -C <folder>",
};
/** Any program may be writing. */
const insteadOfPipe: Instead = { decide: nobodyHere };

/**
 * Rights are those of the user's configuration. The user of this computer needs no entry to chat at a terminal, since the command line lets them do
 * all of it. What nobody can be given at a place is not given there, whatever the configuration says.
 */
export function peopleOf({ people }: Pick<Config, "people">, user: ChatRequest["user"]): People {
  const of: People["of"] = (platform, person) => {
    const id = `${platform}:${person}`;
    const entry = Object.hasOwn(people, id) ? people[id] : undefined;
    const isUser = platform === "terminal" && person === user.name;
    const instead = platform === "test" ? insteadOfTest : platform === "terminal" && !user.isAtTerminal ? insteadOfPipe : {};
    const given: readonly Right[] = entry?.may ?? (isUser ? ["start", "decide", "clone"] : []);
    return {
      name: entry?.name ?? (isUser ? person : id === "test:local" ? "the test adapter" : undefined),
      may: new Set(given.filter((right) => instead[right] === undefined)),
      instead,
    };
  };
  const namesOn = (platform: string): readonly string[] => {
    // In a terminal nobody else writes.
    if (platform === "terminal") return [user.name];
    return Object.keys(people).flatMap((id) => (id.startsWith(`${platform}:`) ? [id.slice(platform.length + 1)] : []));
  };
  return {
    of,
    deciders: (platform) =>
      namesOn(platform).flatMap((person) => {
        const { name, may } = of(platform, person);
        return name !== undefined && may.has("decide") ? [name] : [];
      }),
  };
}
