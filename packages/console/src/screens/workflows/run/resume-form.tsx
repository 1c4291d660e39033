import type { WorkflowStepRun } from '@svc/api/data';
import { type FormEvent, type ReactElement, useState } from 'react';
import { Button } from '../../../ui/button.tsx';
import { notify } from '../../../ui/notices.tsx';
import { Problem } from '../../../ui/problem.tsx';
import { initialValue, schemaOf } from '../../../ui/schema/schema.ts';
import { type Problems, problemsOf } from '../../../ui/schema/schema-problems.ts';
import { texts } from '../texts.ts';
import styles from '../workflows.module.css';
import { JsonInput } from './json-input.tsx';
import { resumeSchemaOf } from './resume-schema.ts';
import { type RunAddress, useResumeRun } from './run-data.ts';

interface ResumeFormProps {
  readonly address: RunAddress;
  readonly step: WorkflowStepRun;
  /** The definition of the run. */
  readonly specJson: string;
}

/** Answers a step that waits for a person. */
export const ResumeForm = ({ address, step, specJson }: ResumeFormProps): ReactElement => {
  const schema = schemaOf(resumeSchemaOf(specJson, step.stepId));
  const [value, setValue] = useState<unknown>(() => (schema === undefined ? null : initialValue(schema)));
  const [problems, setProblems] = useState<Problems>();
  const [isReadable, setIsReadable] = useState(true);
  const resuming = useResumeRun(address, () => notify(texts.resumed));
  const send = (event: FormEvent): void => {
    event.preventDefault();
    const found = schema === undefined ? new Map<string, string>() : problemsOf(schema, value);
    setProblems(found);
    if (found.size === 0) resuming.mutate({ stepId: step.stepId, resumeJson: JSON.stringify(value ?? null) });
  };
  const asked = promptOf(step.suspendJson);
  return (
    <form className={styles.stepEdit} onSubmit={send}>
      {asked !== '' && (
        <p>
          <b>{texts.asks}:</b> {asked}
        </p>
      )}
      <JsonInput
        label={texts.resumeValue}
        schema={schema}
        value={value}
        onChange={setValue}
        problems={problems}
        onReadable={setIsReadable}
      />
      {resuming.error && <Problem error={resuming.error} />}
      <div>
        <Button
          kind="primary"
          type="submit"
          icon="play"
          isBusy={resuming.isPending}
          disabled={!isReadable}
          disabledReason={texts.badJson}
        >
          {texts.resume}
        </Button>
      </div>
    </form>
  );
};

const promptOf = (suspendJson: string): string => {
  const said = suspendJson === '' ? {} : (JSON.parse(suspendJson) as { readonly prompt?: string });
  return said.prompt ?? '';
};
