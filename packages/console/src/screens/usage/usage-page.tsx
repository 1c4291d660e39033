import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useCan } from '../../access/access-context.ts';
import { CopyMenu } from '../../ui/copy-menu.tsx';
import { Page } from '../../ui/page.tsx';
import { Segments } from '../../ui/segments.tsx';
import { Limits } from './limits.tsx';
import { texts } from './texts.ts';
import { UsageReport } from './usage-report.tsx';

const BY = [
  { value: 'agent', label: texts.byAgent },
  { value: 'model', label: texts.byModel },
  { value: 'identity', label: texts.byIdentity },
  { value: 'namespace', label: texts.byNamespace },
];
const PERIODS = ['7', '30', '90'].map((value) => ({ value, label: `${value} ${texts.days}` }));
const MEASURES = [
  { value: 'tokens', label: texts.tokens },
  { value: 'cost', label: texts.cost },
];

/** What was used of models in a namespace, and what its limits leave. */
export const UsagePage = (): ReactElement => {
  const { ns = '' } = useParams({ strict: false });
  const { by = 'agent', days = '30', of = 'tokens' } = useSearch({ strict: false });
  const navigate = useNavigate();
  const mayWrite = useCan()('admin', ns === '-' ? {} : { ns });
  const choose = (change: Readonly<Record<string, string>>): void =>
    void navigate({ to: '.', search: (before) => ({ ...before, ...change }), replace: true });
  return (
    <Page
      title={texts.title}
      actions={<CopyMenu command={`svc usage -n ${ns} --by ${by}`} path={`/v1/ns/${ns}/usage?by=${by}`} />}
      filters={
        <>
          <Segments label={texts.by} value={by} options={BY} onChange={(next) => choose({ by: next })} />
          <Segments label={texts.period} value={days} options={PERIODS} onChange={(next) => choose({ days: next })} />
          <Segments label={texts.chartOf} value={of} options={MEASURES} onChange={(next) => choose({ of: next })} />
        </>
      }
    >
      <Limits ns={ns} mayWrite={mayWrite} />
      {ns === '-' ? (
        <p>{texts.chooseNamespace}</p>
      ) : (
        <UsageReport ns={ns} by={by} days={Number(days) || 30} isCost={of === 'cost'} />
      )}
    </Page>
  );
};
