import '@xyflow/react/dist/style.css';
import { Background, Controls, type Edge, Position, ReactFlow, ReactFlowProvider, useReactFlow } from '@xyflow/react';
import { type ReactElement, useEffect, useEffectEvent, useMemo, useState } from 'react';
import styles from './flow.module.css';
import { layoutOf, STEP_HEIGHT, STEP_WIDTH } from './flow-layout.ts';
import type { FlowStep } from './read-flow.ts';
import type { StepLook } from './step-look.ts';
import { StepNode, type StepNodeData } from './step-node.tsx';

interface FlowGraphProps {
  /** What is drawn, for screen readers. */
  readonly label: string;
  readonly steps: readonly FlowStep[];
  /** By id of the step. */
  readonly looks: ReadonlyMap<string, StepLook>;
  readonly selected: string | undefined;
  readonly onSelect: (id: string) => void;
  /** Without it the graph can only be read. */
  readonly onConnect?: ((from: string, to: string) => void) | undefined;
  readonly onDisconnect?: ((from: string, to: string) => void) | undefined;
}

const nodeTypes = { step: StepNode };

const handles = [
  { type: 'target', position: Position.Top, x: STEP_WIDTH / 2, y: 0, width: 1, height: 1 },
  { type: 'source', position: Position.Bottom, x: STEP_WIDTH / 2, y: STEP_HEIGHT, width: 1, height: 1 },
] as const;

/** Steps as a graph; only those in sight are in the page. Everything that it does can be done in the list of steps by keyboard. */
export const FlowGraph = (props: FlowGraphProps): ReactElement => (
  <ReactFlowProvider>
    <Graph {...props} />
  </ReactFlowProvider>
);

const Graph = ({ label, steps, looks, selected, onSelect, onConnect, onDisconnect }: FlowGraphProps): ReactElement => {
  const shape = steps.map(({ id, after }) => `${id} ${after.join()}`).join('\n');
  // biome-ignore lint/correctness/useExhaustiveDependencies: the places depend on the names and the order of steps only
  const { places, edges } = useMemo(() => layoutOf(steps), [shape]);
  const [edge, setEdge] = useState<string>();
  const nodes = useMemo(
    () =>
      steps
        .filter(({ id }, index) => places.has(id) && steps.findIndex((other) => other.id === id) === index)
        .map(
          (step): StepNodeData => ({
            id: step.id,
            type: 'step',
            position: places.get(step.id) ?? { x: 0, y: 0 },
            width: STEP_WIDTH,
            height: STEP_HEIGHT,
            handles: [...handles],
            selected: step.id === selected,
            data: { step, look: looks.get(step.id) },
          }),
        ),
    [steps, places, looks, selected],
  );
  const lines = useMemo(
    () =>
      edges.map(({ from, to }): Edge => {
        const id = `${from} ${to}`;
        return { id, source: from, target: to, selected: id === edge, animated: looks.get(to)?.tone === 'busy' };
      }),
    [edges, edge, looks],
  );
  const [from, to] = edge?.split(' ') ?? [];
  return (
    <section className={styles.graph} aria-label={label}>
      <ReactFlow<StepNodeData>
        nodes={nodes}
        edges={lines}
        nodeTypes={nodeTypes}
        onNodeClick={(_event, node) => onSelect(node.id)}
        onEdgeClick={(_event, clicked) => setEdge(clicked.id === edge ? undefined : clicked.id)}
        onPaneClick={() => setEdge(undefined)}
        onConnect={({ source, target }) => onConnect?.(source, target)}
        isValidConnection={({ source, target }) => source !== target}
        nodesDraggable={false}
        nodesConnectable={onConnect !== undefined}
        nodesFocusable={false}
        edgesFocusable={false}
        deleteKeyCode={null}
        onlyRenderVisibleElements
        minZoom={0.1}
        maxZoom={1.5}
        fitView
        fitViewOptions={{ maxZoom: 1, minZoom: 0.3, padding: 0.1 }}
      >
        <Background gap={20} />
        <Controls showInteractive={false} />
        <Follow place={places.get(selected ?? '')} />
      </ReactFlow>
      {onDisconnect !== undefined && from !== undefined && to !== undefined && (
        <button
          type="button"
          className={styles.cut}
          onClick={() => {
            setEdge(undefined);
            onDisconnect(from, to);
          }}
        >
          {`Disconnect ${to} from ${from}`}
        </button>
      )}
    </section>
  );
};

/** Brings the chosen step into sight when it is chosen elsewhere. */
const Follow = ({ place }: { readonly place: { readonly x: number; readonly y: number } | undefined }): null => {
  const flow = useReactFlow();
  const show = useEffectEvent((x: number, y: number) => {
    const corner = flow.flowToScreenPosition({ x, y });
    const hit = document.elementFromPoint(corner.x + 8, corner.y + 8);
    if (hit?.closest('.react-flow') !== null && hit !== null) return;
    void flow.setCenter(x + STEP_WIDTH / 2, y + STEP_HEIGHT / 2, {
      zoom: Math.max(flow.getZoom(), 0.6),
      duration: 200,
    });
  });
  useEffect(() => {
    if (place !== undefined) show(place.x, place.y);
  }, [place]);
  return null;
};
