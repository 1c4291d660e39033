import type { ReactElement } from 'react';
import { CodeEditor } from '../../ui/code-editor.tsx';
import type { TextProblem } from '../../ui/editor/editor-types.ts';
import { Menu } from '../../ui/menu.tsx';
import {
  addStep,
  connectSteps,
  disconnectSteps,
  type Flow,
  FlowGraph,
  STEP_TYPES,
  StepList,
  type StepLook,
} from './flow/index.ts';
import { StepEdit } from './step-edit.tsx';
import { texts } from './texts.ts';
import styles from './workflows.module.css';

interface FlowEditorProps {
  readonly text: string;
  readonly flow: Flow;
  readonly looks: ReadonlyMap<string, StepLook>;
  readonly problems: readonly TextProblem[];
  readonly selected: string | undefined;
  readonly onSelect: (id: string) => void;
  /** Without it the workflow can only be read. */
  readonly onChange: ((text: string) => void) | undefined;
}

/** The steps as list, graph and text next to each other; a change of one changes the others. */
export const FlowEditor = (props: FlowEditorProps): ReactElement => {
  const { text, flow, looks, problems, selected, onSelect, onChange } = props;
  // A text that is not YAML has no places where a graph could write.
  const edit = flow.problem === undefined ? onChange : undefined;
  const add = (type: string): void => {
    const added = addStep(text, type, selected);
    edit?.(added.text);
    onSelect(added.id);
  };
  return (
    <div className={styles.editor}>
      <div className={styles.side}>
        {edit && (
          <Menu
            label={texts.addStep}
            icon="plus"
            isLabelShown
            items={STEP_TYPES.map((type) => ({ label: type, onSelect: () => add(type) }))}
          />
        )}
        {flow.problem !== undefined && <p className={styles.failure}>{flow.problem}</p>}
        {flow.steps.length === 0 && <p>{texts.noSteps}</p>}
        <StepList label={texts.stepList} steps={flow.steps} looks={looks} selected={selected} onSelect={onSelect} />
        {edit && selected !== undefined && (
          <StepEdit key={selected} text={text} steps={flow.steps} id={selected} onChange={edit} onSelect={onSelect} />
        )}
      </div>
      <FlowGraph
        label={texts.graph}
        steps={flow.steps}
        looks={looks}
        selected={selected}
        onSelect={onSelect}
        onConnect={edit && ((from, to) => edit(connectSteps(text, from, to)))}
        onDisconnect={edit && ((from, to) => edit(disconnectSteps(text, from, to)))}
      />
      <CodeEditor label={texts.yaml} language="yaml" value={text} onChange={onChange} problems={problems} isFilled />
    </div>
  );
};
