import type { Resource } from '@svc/api/resources';
import { type ReactElement, useState } from 'react';
import { useCan } from '../../../access/access-context.ts';
import { useWrite } from '../../../api/use-call.ts';
import { Button, IconButton } from '../../../ui/button.tsx';
import { TextField } from '../../../ui/field.tsx';
import { Problem } from '../../../ui/problem.tsx';
import { addressOfResource, keptMetadata } from '../../resources/index.ts';
import { texts } from '../texts.ts';
import styles from '../workflows.module.css';
import { testInputsOf, withTestInput } from './test-inputs.ts';

interface KeptInputsProps {
  readonly workflow: Resource;
  /** The value of the form; undefined while it cannot be kept. */
  readonly input: unknown;
  readonly onChoose: (input: unknown) => void;
}

/** Inputs that people keep with a workflow to try it with: one is chosen, the present one kept under a name, or one removed. */
export const KeptInputs = ({ workflow, input, onChoose }: KeptInputsProps): ReactElement | null => {
  const [name, setName] = useState('');
  const { metadata } = workflow;
  const { annotations } = keptMetadata(metadata);
  const kept = testInputsOf(annotations);
  const mayWrite = useCan()('admin', { ns: metadata?.namespace ?? '' });
  const write = useWrite<{ readonly name: string; readonly input: unknown }, unknown>(
    (client, change) => {
      const { apiVersion, kind, spec } = workflow;
      const changed = { ...keptMetadata(metadata), annotations: withTestInput(annotations, change.name, change.input) };
      const manifest = { apiVersion, kind, metadata: changed, spec };
      return client.resources.applyResource({ ...addressOfResource(workflow), manifest });
    },
    { changes: { kinds: ['Workflow'] }, onDone: () => setName('') },
  );
  if (kept.size === 0 && !mayWrite) return null;
  const title = name.trim();
  return (
    <fieldset className={styles.kept}>
      <legend>{texts.keptInputs}</legend>
      {[...kept].map(([each, value]) => (
        <span key={each}>
          <Button kind="quiet" onClick={() => onChoose(value)}>
            {each}
          </Button>
          {mayWrite && (
            <IconButton
              label={texts.forgetInput(each)}
              icon="trash"
              onClick={() => write.mutate({ name: each, input: undefined })}
            />
          )}
        </span>
      ))}
      {mayWrite && (
        <div>
          <TextField label={texts.inputName} value={name} onChange={setName} />
          <Button
            isBusy={write.isPending}
            disabled={title === '' || input === undefined}
            disabledReason={input === undefined ? texts.badJson : texts.inputNeedsName}
            onClick={() => write.mutate({ name: title, input })}
          >
            {texts.keepInput}
          </Button>
        </div>
      )}
      {write.error && <Problem error={write.error} />}
    </fieldset>
  );
};
