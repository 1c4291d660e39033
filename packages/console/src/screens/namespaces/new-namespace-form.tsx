import { type FormEvent, type ReactElement, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { SelectField, TextArea, TextField } from '../../ui/field.tsx';
import { Section } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import { labelsOf } from './label-lines.ts';
import styles from './namespaces.module.css';
import { useCreateNamespace, useNewParents } from './namespaces-data.ts';
import { texts } from './texts.ts';

interface NewNamespaceFormProps {
  /** Chosen first. */
  readonly parent: string;
  readonly onDone: (name: string) => void;
  readonly onCancel: () => void;
}

/** Asks for name, place and labels of a new namespace. */
export const NewNamespaceForm = ({ parent: first, onDone, onCancel }: NewNamespaceFormProps): ReactElement => {
  const parents = useNewParents();
  const [name, setName] = useState('');
  const [chosen, setChosen] = useState(first);
  const parent = parents.includes(chosen) ? chosen : (parents[0] ?? '');
  const [lines, setLines] = useState('');
  const create = useCreateNamespace(onDone);
  const labels = labelsOf(lines);
  const isReady = name !== '' && labels !== undefined;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (labels !== undefined && name !== '') create.mutate({ name, parent, labels });
  };
  return (
    <form onSubmit={submit} className={styles.details}>
      <Section title={texts.create}>
        <p className={styles.soft}>{texts.createLead}</p>
        <TextField label={texts.name} hint={texts.nameHint} value={name} onChange={setName} autoFocus isRequired />
        <SelectField
          label={texts.parent}
          value={parent}
          options={parents.map((value) => ({ value, label: value || texts.root }))}
          onChange={setChosen}
        />
        <TextArea
          label={texts.labels}
          hint={texts.labelsHint}
          problem={labels === undefined ? texts.labelProblem : undefined}
          value={lines}
          onChange={setLines}
          rows={3}
        />
        {create.error && <Problem error={create.error} />}
        <div className={styles.actions}>
          <Button onClick={onCancel}>{texts.cancel}</Button>
          <Button
            kind="primary"
            type="submit"
            isBusy={create.isPending}
            disabled={!isReady}
            disabledReason={name === '' ? texts.nameHint : texts.labelProblem}
          >
            {texts.create}
          </Button>
        </div>
      </Section>
    </form>
  );
};
