import { type ReactElement, useState } from 'react';
import { useCan } from '../../access/access-context.ts';
import { addresses, Goto } from '../../app/address.tsx';
import { useKey } from '../../keys/use-keys.ts';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/field.tsx';
import { JsonView, parsedOrText } from '../../ui/json-view.tsx';
import { Problem } from '../../ui/problem.tsx';
import { initialValue, type JsonSchema } from '../../ui/schema/schema.ts';
import { type Problems, problemsOf } from '../../ui/schema/schema-problems.ts';
import { SchemaForm } from '../../ui/schema-form.tsx';
import { DetailFrame } from './detail-frame.tsx';
import styles from './inbox.module.css';
import { useResume } from './inbox-data.ts';
import { type StepItem, suspensionOf } from './inbox-item.ts';
import { texts } from './texts.ts';

interface StepDetailProps {
  readonly item: StepItem;
  readonly equal: readonly StepItem[];
  readonly onDone: (count: number) => void;
}

/** A step of a workflow that waits for an answer. */
export const StepDetail = (props: StepDetailProps): ReactElement => {
  const { run, step } = props.item;
  const can = useCan();
  return (
    <DetailFrame
      item={props.item}
      trailId={run.id}
      facts={[
        [
          texts.workflow,
          <Goto key="workflow" to={addresses.workflow(run.ns, run.workflow)}>
            {run.workflow}
          </Goto>,
        ],
        [
          texts.run,
          <Goto key="run" to={addresses.run(run.ns, run.workflow, run.id)}>
            {run.id}
          </Goto>,
        ],
        [texts.step, step.stepId],
      ]}
      answers={can('operator', { ns: run.ns }) ? <Answers {...props} /> : undefined}
    >
      {step.inputJson !== '' && (
        <section className={styles.about}>
          <h3>{texts.inputOfStep}</h3>
          <JsonView value={parsedOrText(step.inputJson)} />
        </section>
      )}
    </DetailFrame>
  );
};

const NONE: Problems = new Map();

const Answers = ({ item, equal, onDone }: StepDetailProps): ReactElement => {
  const resume = useResume(onDone);
  const schema: JsonSchema = suspensionOf(item.step).schema ?? {};
  const [value, setValue] = useState<unknown>(() => initialValue(schema));
  const [problems, setProblems] = useState(NONE);
  const [isForAll, setForAll] = useState(false);
  const send = (): void => {
    const found = problemsOf(schema, value);
    setProblems(found);
    if (found.size > 0 || resume.isPending) return;
    resume.mutate({ items: isForAll ? equal : equal.slice(0, 1), resumeJson: JSON.stringify(value ?? null) });
  };
  useKey({ keys: 'a', does: texts.resume, run: send });
  useKey({ keys: 'mod+Enter', does: texts.resume, run: send });
  return (
    <>
      <SchemaForm schema={schema} value={value} onChange={setValue} problems={problems} label={texts.value} />
      {equal.length > 1 && <Checkbox label={texts.equal(equal.length)} checked={isForAll} onChange={setForAll} />}
      {resume.error && <Problem error={resume.error} />}
      <div className={styles.buttons}>
        <Button kind="primary" icon="play" shortcut="a" isBusy={resume.isPending} onClick={send}>
          {texts.resume}
        </Button>
      </div>
    </>
  );
};
