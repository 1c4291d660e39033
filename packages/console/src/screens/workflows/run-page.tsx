import type { RunResponse } from '@svc/api/gateway';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { type ReactElement, useMemo, useState } from 'react';
import { useCan } from '../../access/access-context.ts';
import { panelText } from '../../app/panels/panel-text.ts';
import { usePanels } from '../../app/panels/use-panels.ts';
import { useKey } from '../../keys/use-keys.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { classNames } from '../../ui/class-names.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { CopyMenu } from '../../ui/copy-menu.tsx';
import { Facts } from '../../ui/facts.tsx';
import { JsonView, parsedOrText } from '../../ui/json-view.tsx';
import { Loading } from '../../ui/loading.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import { Time } from '../../ui/time.tsx';
import { FlowGraph, readSpec, StepList } from './flow/index.ts';
import {
  hasEnded,
  lookOfRun,
  looksOfRun,
  type RunAddress,
  RunHistory,
  timeTaken,
  useCancelRun,
  useRun,
} from './run/index.ts';
import { texts } from './texts.ts';
import styles from './workflows.module.css';

/** One run: its steps as they are now, what came out, and what happened. */
export const RunPage = (): ReactElement => {
  const { ns = '', name = '', runId = '' } = useParams({ strict: false });
  const address = { ns, workflow: name, runId };
  const found = useRun(address);
  const run = found.data?.run;
  return (
    <Page
      title={`${texts.runId} ${runId.slice(-12)}`}
      above={
        <>
          <Link to="/ns/$ns/workflows" params={{ ns }}>
            {texts.title}
          </Link>
          {' / '}
          <Link to="/ns/$ns/workflows/$name" params={{ ns, name }} search={{ tab: 'runs' }}>
            {name}
          </Link>
        </>
      }
      badge={run && <Badge tone={lookOfRun(run.status).tone}>{lookOfRun(run.status).word}</Badge>}
      actions={run && <RunActions key={runId} address={address} isOver={hasEnded(run)} />}
    >
      {found.error && <Problem error={found.error} onRetry={() => void found.refetch()} />}
      {found.isPending && <Loading />}
      {found.data && (
        <>
          <RunView address={address} answer={found.data} />
          {/* Read after the run: hundreds of events would keep the page from drawing its steps. */}
          <RunHistory address={address} />
        </>
      )}
    </Page>
  );
};

const RunActions = ({ address, isOver }: { readonly address: RunAddress; readonly isOver: boolean }): ReactElement => {
  const { ns, workflow, runId } = address;
  const { open } = usePanels();
  const mayRun = useCan()('operator', { ns });
  const [isAsked, setIsAsked] = useState(false);
  const cancelling = useCancelRun(address);
  const again = (): void => open({ type: 'workflow-run', key: `${ns}/${workflow}/${runId}` });
  useKey({ keys: 'x', does: texts.runAgain, run: again }, mayRun);
  return (
    <>
      <CopyMenu
        command={`svc workflow get ${workflow} ${runId} -n ${ns}`}
        path={`/v1/ns/${ns}/workflows/${workflow}/runs/${runId}`}
      />
      {mayRun && !isOver && (
        <Button kind="danger" icon="stop" isBusy={cancelling.isPending} onClick={() => setIsAsked(true)}>
          {texts.cancel}
        </Button>
      )}
      {mayRun && (
        <Button icon="retry" onClick={again} shortcut="x">
          {texts.runAgain}
        </Button>
      )}
      {cancelling.error && <Problem error={cancelling.error} />}
      {isAsked && (
        <Confirm
          title={texts.cancelTitle}
          action={texts.cancel}
          onConfirm={() => cancelling.mutate()}
          onClose={() => setIsAsked(false)}
        >
          {texts.cancelText}
        </Confirm>
      )}
    </>
  );
};

const RunView = ({
  address,
  answer,
}: {
  readonly address: RunAddress;
  readonly answer: RunResponse;
}): ReactElement | null => {
  const { ns, workflow, runId } = address;
  const navigate = useNavigate();
  const { stack } = usePanels();
  const { run, steps } = answer;
  const specJson = run?.specJson ?? '';
  const flow = useMemo(() => readSpec(specJson), [specJson]);
  const looks = useMemo(() => looksOfRun(steps), [steps]);
  if (run === undefined) return null;
  const prefix = `${ns}/${workflow}/${runId}/`;
  const shown = stack.findLast(({ type, key }) => type === 'run-step' && key.startsWith(prefix));
  const selected = shown?.key.slice(prefix.length);
  // One step takes the place of the other, instead of lying on top of it.
  const select = (id: string): void =>
    void navigate({
      to: '.',
      search: (before) => ({ ...before, panel: panelText([{ type: 'run-step', key: `${prefix}${id}` }]) }),
      resetScroll: false,
    });
  return (
    <>
      <Facts
        rows={[
          [texts.started, <Time key="at" at={run.createdAt} />],
          [texts.took, timeTaken(run, hasEnded(run))],
          [texts.error, run.error && <span className={styles.failure}>{run.error}</span>],
        ]}
      />
      <div className={classNames(styles.editor, styles.run)}>
        <StepList label={texts.stepList} steps={flow} looks={looks} selected={selected} onSelect={select} />
        <FlowGraph label={texts.graph} steps={flow} looks={looks} selected={selected} onSelect={select} />
      </div>
      {run.outputJson !== '' && (
        <Section title={texts.output}>
          <JsonView value={parsedOrText(run.outputJson)} />
        </Section>
      )}
      <Section title={texts.input}>
        <JsonView value={parsedOrText(run.inputJson)} />
      </Section>
    </>
  );
};
