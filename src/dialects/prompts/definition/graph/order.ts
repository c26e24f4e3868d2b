/** A node and the nodes that it waits for. */
export interface Waiting {
  readonly id: string;
  readonly dependsOn: readonly string[];
}

/** Ways round, each as the nodes along it from one to the one that it waits for, with the first again at its end. No two share a node. */
export function findCycles(nodes: readonly Waiting[]): readonly (readonly string[])[] {
  const left = new Map(nodes.map(({ id, dependsOn }) => [id, dependsOn]));
  const found: string[][] = [];
  for (;;) {
    peel(left);
    const [start] = left.keys();
    if (start === undefined) return found;
    const way = wayRound(left, start);
    found.push(way);
    for (const id of way) left.delete(id);
  }
}

/** Takes away every node that waits for nothing that is left. What stays waits for a way round. */
function peel(left: Map<string, readonly string[]>): void {
  const waiting = new Map<string, number>();
  const followers = new Map<string, string[]>();
  const free: string[] = [];
  for (const [id, dependsOn] of left) {
    const open = [...new Set(dependsOn)].filter((each) => left.has(each));
    waiting.set(id, open.length);
    if (open.length === 0) free.push(id);
    for (const each of open) followers.set(each, [...(followers.get(each) ?? []), id]);
  }
  for (let id = free.pop(); id !== undefined; id = free.pop()) {
    left.delete(id);
    for (const each of followers.get(id) ?? []) {
      const open = (waiting.get(each) ?? 0) - 1;
      waiting.set(each, open);
      if (open === 0) free.push(each);
    }
  }
}

/** Every node that is left waits for another one that is left, so each walk comes back to itself. */
function wayRound(left: ReadonlyMap<string, readonly string[]>, start: string): string[] {
  const way: string[] = [];
  const seen = new Map<string, number>();
  let id = start;
  while (!seen.has(id)) {
    seen.set(id, way.length);
    way.push(id);
    id = left.get(id)?.find((each) => left.has(each)) ?? id;
  }
  return [...way.slice(seen.get(id)), id];
}

/** Everything that a node waits for, directly or through others; without itself. */
export function ancestorsOf(nodes: readonly Waiting[]): (id: string) => ReadonlySet<string> {
  const byId = new Map(nodes.map(({ id, dependsOn }) => [id, dependsOn]));
  return (id) => {
    const found = new Set<string>();
    const open = [...(byId.get(id) ?? [])];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (found.has(next)) continue;
      found.add(next);
      open.push(...(byId.get(next) ?? []));
    }
    found.delete(id);
    return found;
  };
}

/** The ids of each layer, in the order of the file: a node is one layer below the lowest of those that it waits for. Without cycles. */
export function layersOf(nodes: readonly Waiting[]): readonly (readonly string[])[] {
  const layers: string[][] = [];
  const settled = new Set<string>();
  let left = nodes;
  while (left.length > 0) {
    const ready = left.filter(({ dependsOn }) => dependsOn.every((each) => settled.has(each)));
    if (ready.length === 0) return layers;
    layers.push(ready.map(({ id }) => id));
    for (const { id } of ready) settled.add(id);
    left = left.filter(({ id }) => !settled.has(id));
  }
  return layers;
}

/** Nodes whose session may be continued, the nearest first. `round`: after them what the round before of their group ended with. */
export interface Said {
  readonly of: readonly string[];
  readonly round: boolean;
}

/**
 * What a node without a context of its own may continue, and what is said at the end. One that is alone in its layer continues what the
 * layers before it said, back to the first that has several nodes; nodes beside each other begin fresh, and so does what comes after them.
 */
export function sessionsBefore(
  nodes: readonly Waiting[],
  round = false,
): { readonly before: ReadonlyMap<string, Said>; readonly after: Said } {
  const before = new Map<string, Said>();
  const nothing: Said = { of: [], round: false };
  let after: Said = { of: [], round };
  for (const layer of layersOf(nodes)) {
    const [only, ...others] = layer;
    for (const id of layer) before.set(id, others.length === 0 ? after : nothing);
    after = others.length === 0 && only !== undefined ? { ...after, of: [only, ...after.of] } : nothing;
  }
  return { before, after };
}
