import { lazy, type ReactElement, Suspense, useDeferredValue } from 'react';
import styles from './flow.module.css';
import type { FlowStep } from './read-spec.ts';
import type { StepLook } from './step-look.ts';

export interface FlowGraphProps {
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

const Drawing = lazy(async () => ({ default: (await import('./flow-drawing.tsx')).FlowDrawing }));

const NO_STEPS: readonly FlowStep[] = [];

/**
 * Steps as a graph. Everything that it does can be done in the list of steps by keyboard. Its places are found after the rest of the page
 * was drawn, because that takes long for many steps.
 */
export const FlowGraph = ({ label, ...props }: FlowGraphProps): ReactElement => {
  const steps = useDeferredValue(props.steps, NO_STEPS);
  return (
    <section className={styles.graph} aria-label={label} aria-busy={steps !== props.steps}>
      <Suspense>
        <Drawing {...props} steps={steps} />
      </Suspense>
    </section>
  );
};
