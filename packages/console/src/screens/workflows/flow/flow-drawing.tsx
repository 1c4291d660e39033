import '@xyflow/react/dist/style.css';
import {
  Background,
  Controls,
  type Edge,
  Position,
  ReactFlow,
  ReactFlowProvider,
  useReactFlow,
  useStoreApi,
} from '@xyflow/react';
import { type ReactElement, useEffect, useEffectEvent, useMemo, useState } from 'react';
import styles from './flow-drawing.module.css';
import type { FlowGraphProps } from './flow-graph.tsx';
import { type FlowLayout, layoutOf, STEP_HEIGHT, STEP_WIDTH } from './flow-layout.ts';
import { StepNode, type StepNodeData } from './step-node.tsx';

type FlowDrawingProps = Omit<FlowGraphProps, 'label'>;

const nodeTypes = { step: StepNode };

const handles = [
  { type: 'target', position: Position.Top, x: STEP_WIDTH / 2, y: 0, width: 1, height: 1 },
  { type: 'source', position: Position.Bottom, x: STEP_WIDTH / 2, y: STEP_HEIGHT, width: 1, height: 1 },
] as const;

/** The graph itself; only steps in sight are in the page. */
export const FlowDrawing = (props: FlowDrawingProps): ReactElement => (
  <ReactFlowProvider>
    <Graph {...props} />
  </ReactFlowProvider>
);

const Graph = ({ steps, looks, selected, onSelect, onConnect, onDisconnect }: FlowDrawingProps): ReactElement => {
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
            // Known without measuring the page, so that also steps out of sight count.
            measured: { width: STEP_WIDTH, height: STEP_HEIGHT },
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
    <>
      <ReactFlow<StepNodeData>
        className={styles.drawing}
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
      >
        <Background gap={20} />
        <Controls showInteractive={false} orientation="horizontal" />
        <View places={places} selected={selected} />
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
    </>
  );
};

/** Up to this number the whole graph is shown again when steps come and go. */
const FEW_STEPS = 30;
const BEGIN_ZOOM = 0.8;

interface ViewProps {
  readonly places: FlowLayout['places'];
  readonly selected: string | undefined;
}

/** What is in sight: a small graph as a whole, a large one from its first step on, and always the chosen step. */
const View = ({ places, selected }: ViewProps): null => {
  const flow = useReactFlow();
  const store = useStoreApi();
  const [first] = places.values();
  const begin = useEffectEvent(() => {
    if (places.size <= FEW_STEPS) void flow.fitView({ maxZoom: 1, padding: 0.1 });
    else if (first !== undefined) {
      const { width } = store.getState();
      void flow.setViewport({ x: width / 2 - (first.x + STEP_WIDTH / 2) * BEGIN_ZOOM, y: 24, zoom: BEGIN_ZOOM });
    }
  });
  const follow = useEffectEvent((id: string) => {
    const place = places.get(id);
    if (place === undefined) return;
    const { width, height, transform } = store.getState();
    const [left, top, zoom] = transform;
    const x = place.x * zoom + left;
    const y = place.y * zoom + top;
    if (x >= 0 && y >= 0 && x + STEP_WIDTH * zoom <= width && y + STEP_HEIGHT * zoom <= height) return;
    if (places.size <= FEW_STEPS) return begin();
    const centre = { x: place.x + STEP_WIDTH / 2, y: place.y + STEP_HEIGHT / 2 };
    void flow.setCenter(centre.x, centre.y, { zoom: Math.max(zoom, BEGIN_ZOOM), duration: 200 });
  });
  const isLarge = places.size > FEW_STEPS;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a small graph is fitted after each change, a large one once
  useEffect(() => {
    // One frame later the graph knows the size of its place.
    const frame = requestAnimationFrame(() => begin());
    return () => cancelAnimationFrame(frame);
  }, [isLarge ? undefined : places]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what was chosen can be somewhere else after a change
  useEffect(() => {
    const frame = requestAnimationFrame(() => requestAnimationFrame(() => selected !== undefined && follow(selected)));
    return () => cancelAnimationFrame(frame);
  }, [selected, places]);
  return null;
};
