import type { WorkflowRun } from '@svc/api/data';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { Badge } from '../../ui/badge.tsx';
import { Empty } from '../../ui/empty.tsx';
import { SelectField } from '../../ui/field.tsx';
import { Listing } from '../../ui/listing.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { hasEnded, lookOfRun, RUN_STATUSES, timeTaken, useRuns } from './run/index.ts';
import { texts } from './texts.ts';
import styles from './workflows.module.css';

const columns: readonly Column<WorkflowRun>[] = [
  { title: texts.runId, cell: ({ id }) => <code>{id.slice(-12)}</code>, rem: 7.5 },
  {
    title: texts.status,
    cell: ({ status }) => <Badge tone={lookOfRun(status).tone}>{lookOfRun(status).word}</Badge>,
    rem: 7,
  },
  { title: texts.started, cell: ({ createdAt }) => <Time at={createdAt} /> },
  { title: texts.took, cell: (run) => timeTaken(run, hasEnded(run)), rem: 5, isNumber: true },
  { title: texts.input, cell: ({ inputJson }) => <code>{inputJson}</code>, isMinor: true },
  { title: texts.error, cell: ({ error }) => error, isMinor: true },
];

/** The runs of one workflow, newest first. */
export const RunList = ({ ns, workflow }: { readonly ns: string; readonly workflow: string }): ReactElement => {
  const { state = '' } = useSearch({ strict: false });
  const navigate = useNavigate();
  const found = useRuns(ns, workflow, state);
  const rows = found.data?.pages.flatMap(({ runs }) => runs) ?? [];
  return (
    <>
      <div className={styles.filter}>
        <SelectField
          label={texts.status}
          isLabelHidden
          value={state}
          options={[
            { value: '', label: texts.allStates },
            ...RUN_STATUSES.map((status) => ({ value: status, label: lookOfRun(status).word })),
          ]}
          onChange={(next) => void navigate({ to: '.', search: (before) => ({ ...before, state: next || undefined }) })}
        />
      </div>
      <Listing
        found={found}
        count={rows.length}
        empty={
          <Empty icon="flow" title={texts.noRuns}>
            <p>{texts.noRunsHint}</p>
            <code>{`svc workflow run ${workflow} -n ${ns}`}</code>
          </Empty>
        }
      >
        <Table
          label={texts.runs}
          rows={rows}
          columns={columns}
          keyOf={({ id }) => id}
          onOpen={({ id }) =>
            void navigate({ to: '/ns/$ns/workflows/$name/runs/$runId', params: { ns, name: workflow, runId: id } })
          }
          onEnd={found.hasNextPage ? () => void found.fetchNextPage() : undefined}
        />
      </Listing>
    </>
  );
};
