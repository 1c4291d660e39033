import { useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import type { PanelProps } from '../../app/panels/panel-table.ts';
import { Button } from '../../ui/button.tsx';
import { Facts } from '../../ui/facts.tsx';
import { Loading } from '../../ui/loading.tsx';
import { Problem } from '../../ui/problem.tsx';
import { Time } from '../../ui/time.tsx';
import { useAuditRecords } from './audit-data.ts';
import { texts } from './texts.ts';

/** One record of the audit log; its key is `ns id`. The list that it was opened from has it. */
export const AuditPanel = ({ panelKey }: PanelProps): ReactElement => {
  const [ns = '-', id = ''] = panelKey.split(' ');
  const { identity = '', operation = '', since = '', until = '' } = useSearch({ strict: false });
  const navigate = useNavigate();
  const found = useAuditRecords({ ns, identity, operation, since, until });
  const record = found.data?.pages.flatMap(({ records }) => records).find((candidate) => candidate.id === id);
  if (found.error) return <Problem error={found.error} />;
  if (found.isPending) return <Loading />;
  if (record === undefined) return <p>{texts.gone}</p>;
  return (
    <>
      <h2>{record.operation.split('/').at(-1)}</h2>
      <Facts
        rows={[
          [texts.time, <Time key="time" at={record.time} />],
          [texts.identity, record.identity],
          [texts.operation, record.operation],
          [texts.target, record.target],
          [texts.outcome, record.outcome],
          [texts.requestId, <code key="request">{record.requestId}</code>],
          [texts.version, record.resourceVersion],
          [
            texts.hash,
            <code key="hash" title={texts.hashHint}>
              {record.hash}
            </code>,
          ],
        ]}
      />
      <p>
        <Button
          icon="filter"
          onClick={() => void navigate({ to: '.', search: (before) => ({ ...before, identity: record.identity }) })}
        >
          {texts.samePerson}
        </Button>{' '}
        <Button
          icon="filter"
          onClick={() => void navigate({ to: '.', search: (before) => ({ ...before, operation: record.operation }) })}
        >
          {texts.sameOperation}
        </Button>
      </p>
    </>
  );
};
