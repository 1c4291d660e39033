import { Handle, type Node, type NodeProps, Position } from '@xyflow/react';
import type { ReactElement } from 'react';
import { Badge } from '../../../ui/badge.tsx';
import { Icon } from '../../../ui/icon.tsx';
import listStyles from './flow.module.css';
import styles from './flow-drawing.module.css';
import type { FlowStep } from './read-spec.ts';
import { iconOfType, type StepLook } from './step-look.ts';

export type StepNodeData = Node<{ readonly step: FlowStep; readonly look: StepLook | undefined }, 'step'>;

/** A step in the graph. */
export const StepNode = ({ data: { step, look }, selected, isConnectable }: NodeProps<StepNodeData>): ReactElement => (
  <div className={styles.node} data-selected={selected} data-tone={look?.tone}>
    <Handle type="target" position={Position.Top} isConnectable={isConnectable} className={styles.handle} />
    <Icon name={iconOfType(step.type)} />
    <div className={listStyles.names}>
      <strong>{step.id}</strong>
      <span>{look?.note || step.does || step.type}</span>
    </div>
    {look && <Badge tone={look.tone}>{look.word}</Badge>}
    <Handle type="source" position={Position.Bottom} isConnectable={isConnectable} className={styles.handle} />
  </div>
);
