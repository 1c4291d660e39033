import { type ReactElement, useState } from 'react';
import { useKey } from '../../keys/use-keys.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { connectSteps, disconnectSteps, type FlowStep, idProblem, removeStep, renameStep } from './flow/index.ts';
import { texts } from './texts.ts';
import styles from './workflows.module.css';

interface StepEditProps {
  readonly text: string;
  readonly steps: readonly FlowStep[];
  readonly id: string;
  readonly onChange: (text: string) => void;
  readonly onSelect: (id: string) => void;
}

/** What can be done with the chosen step without a mouse: rename it, order it, remove it. */
export const StepEdit = ({ text, steps, id, onChange, onSelect }: StepEditProps): ReactElement | null => {
  const [name, setName] = useState(id);
  const step = steps.find((candidate) => candidate.id === id);
  const others = steps.map((candidate) => candidate.id).filter((other) => other !== id && other !== '');
  const remove = (): void => onChange(removeStep(text, id));
  useKey({ keys: 'Delete', does: texts.remove, run: remove }, step !== undefined);
  if (step === undefined) return null;
  const problem = name === id ? undefined : idProblem(name, others);
  const free = others.filter((other) => !step.after.includes(other));
  return (
    <div className={styles.stepEdit}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (name === id || problem !== undefined) return;
          onChange(renameStep(text, id, name));
          onSelect(name);
        }}
      >
        <TextField label={texts.stepId} value={name} onChange={setName} problem={problem} />
        {name !== id && (
          <Button type="submit" disabled={problem !== undefined} disabledReason={problem ?? ''}>
            {texts.rename}
          </Button>
        )}
      </form>
      {step.after.length > 0 && (
        <div>
          <h2>{texts.waitsFor}</h2>
          <ul className={styles.waits}>
            {step.after.map((other) => (
              <li key={other}>
                {other}
                <IconButton
                  label={`${texts.stopWait} ${other}`}
                  icon="close"
                  onClick={() => onChange(disconnectSteps(text, other, id))}
                />
              </li>
            ))}
          </ul>
        </div>
      )}
      {free.length > 0 && (
        <SelectField
          label={texts.addWait}
          value=""
          options={[{ value: '', label: '—' }, ...free.map((other) => ({ value: other, label: other }))]}
          onChange={(other) => other !== '' && onChange(connectSteps(text, other, id))}
        />
      )}
      <Button kind="danger" icon="trash" onClick={remove} shortcut="Delete">
        {texts.remove}
      </Button>
    </div>
  );
};
