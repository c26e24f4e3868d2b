import { child, entriesOf, membersOf, textAt, type SourceNode } from "../../../../source/index.ts";

/** A state of the file, with the state around it when it is an inner one. */
export interface StateNode {
  readonly name: string;
  readonly node: SourceNode;
  readonly around?: SourceNode;
  /** Whether there is a current task. */
  readonly tasks: boolean;
}

/** All states of a file, inner ones after the one around them. */
export function statesOf(root: SourceNode): StateNode[] {
  return entriesOf(child(root, "states")).flatMap(([name, node]) => {
    const tasks = textAt(node, "each") === "tasks";
    const inner = entriesOf(child(node, "states")).map(([own, held]) => ({ name: own, node: held, around: node, tasks }));
    return [{ name, node, tasks: false }, ...inner];
  });
}

export function stepsOf({ node }: StateNode): SourceNode[] {
  return membersOf(child(node, "do"));
}
