import { defined, textOf } from "../base/index.ts";
import type { Run } from "../ports/index.ts";
import type { DoBlock, Program } from "../program/index.ts";
import { shownText } from "./shown-text.ts";

/** Every question of a program that its author wrote, as a person should see it before allowing the rest: with what can be answered. */
export function whatPeopleAreAsked({ blocks }: Pick<Program, "blocks">): readonly Run[] {
  const asking = Object.values(blocks).filter((block): block is DoBlock => block.kind === "do" && block.who === "person");
  return asking.flatMap(({ args, ask }): readonly Run[] => {
    const text = textOf(args["prompt"]?.of ?? "");
    // What is only put together when it is asked has no words of its own.
    if (text.replaceAll(/\{\{.*?\}\}/gs, "").trim() === "") return [];
    const answers = ask?.options?.map(({ value, label }) => answerText(value, label));
    return [{ kind: "question", ...shownText(text), ...defined({ answers }) }];
  });
}

function answerText(value: string, label: string | undefined): string {
  return label === undefined || label.toLowerCase() === value.toLowerCase() ? value : `${value} (${label})`;
}
