import { Graph, layout } from '@dagrejs/dagre';
import type { FlowStep } from './read-spec.ts';

/** Size of a step in the graph, in pixels. */
export const STEP_WIDTH = 200;
export const STEP_HEIGHT = 60;

/** From one step to one that waits for it. */
export interface FlowEdge {
  readonly from: string;
  readonly to: string;
}

/** Where the steps are. */
export interface FlowLayout {
  /** Left upper corners by id. */
  readonly places: ReadonlyMap<string, { readonly x: number; readonly y: number }>;
  readonly edges: readonly FlowEdge[];
}

/** From this size on the layout that looks a little better takes too long. */
const MANY_STEPS = 120;

/** The steps from top to bottom. Steps without an id, or with one that came before, are left out. */
export const layoutOf = (steps: readonly FlowStep[]): FlowLayout => {
  const ids = new Set(steps.map(({ id }) => id).filter((id) => id !== ''));
  const edges = steps
    .filter(({ id }) => ids.has(id))
    .flatMap(({ id, after }) => [...new Set(after)].filter((from) => ids.has(from)).map((from) => ({ from, to: id })));
  const graph = new Graph()
    .setGraph({
      rankdir: 'TB',
      nodesep: 24,
      ranksep: 44,
      ranker: ids.size > MANY_STEPS ? 'longest-path' : 'network-simplex',
    })
    .setDefaultEdgeLabel(() => ({}));
  for (const id of ids) graph.setNode(id, { width: STEP_WIDTH, height: STEP_HEIGHT });
  for (const { from, to } of edges) graph.setEdge(from, to);
  layout(graph);
  const places = [...ids].map((id) => {
    const { x = 0, y = 0 } = graph.node(id) as { readonly x?: number; readonly y?: number };
    return [id, { x: x - STEP_WIDTH / 2, y: y - STEP_HEIGHT / 2 }] as const;
  });
  return { places: new Map(places), edges };
};
