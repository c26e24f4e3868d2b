/** As much of a task as its order depends on. */
export interface OrderedTask {
  readonly id: string;
  readonly depends_on: readonly string[];
}

export interface DependencyProblem {
  readonly code: "MACHINE_DEPENDENCY_UNKNOWN" | "MACHINE_DEPENDENCY_CYCLE";
  readonly task: string;
  readonly message: string;
}

/** Dependencies on tasks that do not exist, and tasks that wait for themselves; each circle once. */
export function dependencyProblems(tasks: readonly OrderedTask[]): readonly DependencyProblem[] {
  const known = new Map(tasks.map((task) => [task.id, task]));
  const unknown = tasks.flatMap(({ id, depends_on }) =>
    depends_on
      .filter((other) => !known.has(other))
      .map((other): DependencyProblem => ({
        code: "MACHINE_DEPENDENCY_UNKNOWN",
        task: id,
        message: `Task \`${id}\` depends on \`${other}\`, which is not a task.`,
      })),
  );
  const circles = circlesOf(known).map((circle): DependencyProblem => ({
    code: "MACHINE_DEPENDENCY_CYCLE",
    task: circle[0] ?? "",
    message: `Tasks wait for each other and can never begin: ${[...circle, circle[0] ?? ""].map((id) => `\`${id}\``).join(" → ")}.`,
  }));
  return [...unknown, ...circles];
}

/** Depth first without recursion: a plan may be one long chain. */
function circlesOf(tasks: ReadonlyMap<string, OrderedTask>): readonly (readonly string[])[] {
  const done = new Set<string>();
  const circles: string[][] = [];
  for (const root of tasks.keys()) {
    const trail: { id: string; next: number }[] = done.has(root) ? [] : [{ id: root, next: 0 }];
    const open = new Set(trail.map(({ id }) => id));
    for (let top = trail.at(-1); top !== undefined; top = trail.at(-1)) {
      const other = tasks.get(top.id)?.depends_on[top.next++];
      if (other === undefined) {
        done.add(top.id);
        open.delete(top.id);
        trail.pop();
      } else if (open.has(other)) {
        circles.push(trail.slice(trail.findIndex(({ id }) => id === other)).map(({ id }) => id));
      } else if (tasks.has(other) && !done.has(other)) {
        trail.push({ id: other, next: 0 });
        open.add(other);
      }
    }
  }
  return circles;
}
