/** The graph of a workflow's steps by their ids. */
export interface StepNode {
  readonly id: string;
  readonly after: readonly string[];
}

/** Cycles that share no node, each as the ids along it, its first id again at the end. */
export const findCycles = (nodes: readonly StepNode[]): readonly (readonly string[])[] => {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const done = new Set<string>();
  return nodes.flatMap((node) => {
    const cycle = cycleFrom(node.id, byId, done);
    for (const id of cycle ?? []) done.add(id);
    return cycle === undefined ? [] : [cycle];
  });
};

/** Depth first without recursion: a definition may be a chain of hundreds of steps. */
const cycleFrom = (
  start: string,
  byId: ReadonlyMap<string, StepNode>,
  done: Set<string>,
): readonly string[] | undefined => {
  const path: { readonly id: string; next: number }[] = [{ id: start, next: 0 }];
  const onPath = new Set([start]);
  for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
    const next = done.has(top.id) ? undefined : byId.get(top.id)?.after[top.next];
    top.next += 1;
    if (next === undefined) {
      done.add(top.id);
      onPath.delete(top.id);
      path.pop();
    } else if (onPath.has(next)) {
      const ids = path.map((entry) => entry.id);
      return [...ids.slice(ids.indexOf(next)), next];
    } else if (byId.has(next) && !done.has(next)) {
      path.push({ id: next, next: 0 });
      onPath.add(next);
    }
  }
  return undefined;
};

/** Ids of everything a step waits for, directly or not. */
export const upstreamOf = (id: string, nodes: readonly StepNode[]): ReadonlySet<string> => {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const found = new Set<string>();
  const open = [...(byId.get(id)?.after ?? [])];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (found.has(next)) continue;
    found.add(next);
    open.push(...(byId.get(next)?.after ?? []));
  }
  return found;
};
