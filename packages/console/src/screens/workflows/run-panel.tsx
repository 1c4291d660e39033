import type { Resource } from '@svc/api/resources';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, type ReactElement, useState } from 'react';
import { useCan } from '../../access/access-context.ts';
import type { PanelProps } from '../../app/panels/panel-table.ts';
import { Button } from '../../ui/button.tsx';
import { Loading } from '../../ui/loading.tsx';
import { Problem } from '../../ui/problem.tsx';
import { initialValue, type JsonSchema, schemaOf } from '../../ui/schema/schema.ts';
import { type Problems, problemsOf } from '../../ui/schema/schema-problems.ts';
import { JsonInput, KeptInputs, useRun, useStartRun } from './run/index.ts';
import { texts } from './texts.ts';
import { useWorkflow } from './workflow-data.ts';
import styles from './workflows.module.css';

/** Begins a run; its key is `ns/workflow`, with the id of a run behind it to begin with that run's input. */
export const RunPanel = ({ panelKey }: PanelProps): ReactElement => {
  const [ns = '', workflow = '', runId = ''] = panelKey.split('/');
  const found = useWorkflow(ns, workflow);
  const model = useRun({ ns, workflow, runId });
  const error = found.error ?? model.error;
  if (error) return <Problem error={error} />;
  if (found.data === undefined || (runId !== '' && model.data === undefined)) return <Loading />;
  const spec = found.data.spec?.kind;
  const schema = spec?.case === 'workflow' ? schemaOf(spec.value.inputSchemaJson) : undefined;
  const input: unknown = model.data?.run === undefined ? undefined : JSON.parse(model.data.run.inputJson || '{}');
  return (
    <>
      <h2>{`${runId === '' ? texts.run : texts.runAgain}: ${workflow}`}</h2>
      <RunForm ns={ns} workflow={found.data} schema={schema} first={input} />
    </>
  );
};

interface RunFormProps {
  readonly ns: string;
  readonly workflow: Resource;
  readonly schema: JsonSchema | undefined;
  /** Undefined begins with the defaults of the schema. */
  readonly first: unknown;
}

const RunForm = ({ ns, workflow, schema, first }: RunFormProps): ReactElement => {
  const navigate = useNavigate();
  const mayRun = useCan()('operator', { ns });
  const [value, setValue] = useState<unknown>(() => first ?? (schema === undefined ? {} : initialValue(schema)));
  const [problems, setProblems] = useState<Problems>();
  const [isReadable, setIsReadable] = useState(true);
  /** How often an input was chosen: each time the field begins again with it. */
  const [choices, setChoices] = useState(0);
  const starting = useStartRun(ns, (run) =>
    navigate({ to: '/ns/$ns/workflows/$name/runs/$runId', params: { ns, name: run.workflow, runId: run.id } }),
  );
  const name = workflow.metadata?.name ?? '';
  const choose = (input: unknown): void => {
    setValue(input);
    setProblems(undefined);
    setIsReadable(true);
    setChoices(choices + 1);
  };
  const start = (event: FormEvent): void => {
    event.preventDefault();
    const found = schema === undefined ? new Map<string, string>() : problemsOf(schema, value);
    setProblems(found);
    if (found.size === 0 && isReadable) starting.mutate({ workflow: name, inputJson: JSON.stringify(value ?? {}) });
  };
  return (
    <form className={styles.form} onSubmit={start}>
      {schema === undefined && <p>{texts.noSchema}</p>}
      <JsonInput
        key={choices}
        label={texts.input}
        schema={schema}
        value={value}
        onChange={setValue}
        problems={problems}
        onReadable={setIsReadable}
      />
      {starting.error && <Problem error={starting.error} />}
      <div className={styles.row}>
        <Button
          kind="primary"
          type="submit"
          icon="play"
          isBusy={starting.isPending}
          disabled={!mayRun || !isReadable}
          disabledReason={mayRun ? texts.badJson : texts.mayNotRun}
        >
          {texts.start}
        </Button>
      </div>
      <KeptInputs workflow={workflow} input={isReadable ? (value ?? {}) : undefined} onChoose={choose} />
    </form>
  );
};
