import type { WorkflowStepRun } from '@svc/api/data';
import { Link } from '@tanstack/react-router';
import type { ReactElement, ReactNode } from 'react';
import { useCan } from '../../access/access-context.ts';
import { TrailLink } from '../../app/address.tsx';
import type { PanelProps } from '../../app/panels/panel-table.ts';
import { Badge } from '../../ui/badge.tsx';
import { Facts } from '../../ui/facts.tsx';
import { JsonView, parsedOrText } from '../../ui/json-view.tsx';
import { Loading } from '../../ui/loading.tsx';
import { Problem } from '../../ui/problem.tsx';
import { Time } from '../../ui/time.tsx';
import { type FlowStep, readSpec } from './flow/index.ts';
import { lookOfStep, ResumeForm, type RunAddress, StepTalk, timeTaken, useRun } from './run/index.ts';
import { texts } from './texts.ts';
import styles from './workflows.module.css';

/** A step of a run; its key is `ns/workflow/run/step`. */
export const StepPanel = ({ panelKey }: PanelProps): ReactElement => {
  const [ns = '', workflow = '', runId = '', stepId = ''] = panelKey.split('/');
  const address = { ns, workflow, runId };
  const found = useRun(address);
  if (found.error) return <Problem error={found.error} onRetry={() => void found.refetch()} />;
  if (found.data === undefined) return <Loading />;
  const specJson = found.data.run?.specJson ?? '';
  const written = readSpec(specJson).find(({ id }) => id === stepId);
  const step = found.data.steps.find((candidate) => candidate.stepId === stepId);
  return (
    <div className={styles.stack}>
      <div className={styles.row}>
        <h2>{stepId}</h2>
        {step && <Badge tone={lookOfStep(step.status).tone}>{lookOfStep(step.status).word}</Badge>}
      </div>
      <Facts rows={[[written?.type ?? '', written?.does]]} />
      {step === undefined ? (
        <p>{texts.notStarted}</p>
      ) : (
        <StepState address={address} step={step} written={written} specJson={specJson} />
      )}
    </div>
  );
};

interface StepStateProps {
  readonly address: RunAddress;
  readonly step: WorkflowStepRun;
  /** As the definition of the run has it. */
  readonly written: FlowStep | undefined;
  readonly specJson: string;
}

const StepState = ({ address, step, written, specJson }: StepStateProps): ReactElement => {
  const isOver = ['COMPLETED', 'FAILED', 'CANCELLED'].includes(step.status);
  const mayResume = useCan()('operator', { ns: address.ns });
  return (
    <>
      <Facts
        rows={[
          [texts.attempt, step.attempt > 0 ? String(step.attempt) : ''],
          [texts.started, <Time key="started" at={step.createdAt} />],
          [texts.took, timeTaken(step, isOver)],
          [texts.nextTry, isOver ? undefined : step.nextRetryAt && <Time at={step.nextRetryAt} />],
          [texts.timesOut, isOver ? undefined : step.timeoutAt && <Time at={step.timeoutAt} />],
          [texts.waitsUntil, isOver ? undefined : step.waitUntilAt && <Time at={step.waitUntilAt} />],
          [texts.childRun, childRunOf(address.ns, step, written)],
          [
            texts.story,
            // A trail is found by the run, and shows all of its steps with what they began.
            <TrailLink key="trail" ns={address.ns} id={address.runId}>
              {texts.trail}
            </TrailLink>,
          ],
        ]}
      />
      {step.error !== '' && <p className={styles.failure}>{step.error}</p>}
      {step.status === 'SUSPENDED' && mayResume && (
        <ResumeForm key={step.id} address={address} step={step} specJson={specJson} />
      )}
      <JsonPart title={texts.input} json={step.inputJson} />
      <JsonPart title={texts.output} json={step.outputJson} />
      <JsonPart title={texts.givenAnswer} json={step.resumeJson} />
      {step.childSessionId !== '' && (
        <StepTalk ns={address.ns} agent={written?.does ?? ''} sessionId={step.childSessionId} />
      )}
    </>
  );
};

const childRunOf = (ns: string, { childWorkflowRunId }: WorkflowStepRun, written: FlowStep | undefined): ReactNode =>
  childWorkflowRunId === '' ? undefined : (
    <Link
      to="/ns/$ns/workflows/$name/runs/$runId"
      params={{ ns, name: written?.does ?? '', runId: childWorkflowRunId }}
    >
      {childWorkflowRunId.slice(-12)}
    </Link>
  );

const JsonPart = ({ title, json }: { readonly title: string; readonly json: string }): ReactElement | null =>
  json === '' ? null : (
    <div>
      <h3>{title}</h3>
      <JsonView value={parsedOrText(json)} />
    </div>
  );
