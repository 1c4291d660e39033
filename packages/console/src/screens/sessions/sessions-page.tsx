import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { type ReactElement, useEffect, useRef, useState } from 'react';
import { useCan } from '../../access/access-context.ts';
import { useWrite } from '../../api/use-call.ts';
import { useSettled } from '../../api/use-settled.ts';
import { EVERYWHERE } from '../../app/scope.ts';
import { useKey } from '../../keys/use-keys.ts';
import { Badge, type Tone } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { CopyMenu } from '../../ui/copy-menu.tsx';
import { Empty } from '../../ui/empty.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { Loading } from '../../ui/loading.tsx';
import { Page } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { FoundMessages } from './found-messages.tsx';
import { type SessionState, STATES } from './index.ts';
import { byActivity, type SessionLine } from './session-line.ts';
import { useAgentNames, useSessions } from './sessions-data.ts';
import { texts } from './texts.ts';

const PAUSE_MS = 300;

const TONES: Readonly<Record<string, Tone>> = { Idle: 'calm', Processing: 'busy', Waiting: 'warn' };

const columns: readonly Column<SessionLine>[] = [
  { title: texts.agent, cell: ({ agent }) => agent },
  { title: texts.session, cell: ({ id }) => <code>{id}</code>, grow: 2, isMinor: true },
  { title: texts.namespace, cell: ({ ns }) => ns, isMinor: true },
  { title: texts.state, cell: ({ state }) => <Badge tone={TONES[state] ?? 'calm'}>{state}</Badge>, rem: 9 },
  {
    title: texts.labels,
    cell: ({ labels }) =>
      Object.entries(labels)
        .map(([name, value]) => `${name}=${value}`)
        .join(', '),
    isMinor: true,
  },
  { title: texts.active, cell: ({ lastActive }) => <Time at={lastActive} />, rem: 8, isNumber: true },
];

/** The conversations of a namespace, and where a new one begins. */
export const SessionsPage = (): ReactElement => {
  const { ns = '' } = useParams({ strict: false });
  const { agent = '', find = '' } = useSearch({ from: '/ns/$ns/sessions' });
  return (
    <Page title={texts.title} isFilled filters={<Filters ns={ns} />} actions={<NewSession ns={ns} agent={agent} />}>
      {find === '' ? <Sessions ns={ns} /> : <FoundMessages ns={ns} agent={agent} query={find} />}
    </Page>
  );
};

const Sessions = ({ ns }: { readonly ns: string }): ReactElement => {
  const { agent = '', selector = '', state } = useSearch({ from: '/ns/$ns/sessions' });
  const navigate = useNavigate();
  const found = useSessions({ ns, agent, labelSelector: selector });
  const lines = found.data?.pages.flatMap((page) => page.lines) ?? [];
  const rows = byActivity(lines.filter((line) => state === undefined || line.state === state));
  // The table loads more when its end comes into sight; without a row there is no table.
  useEffect(() => {
    if (rows.length === 0 && found.hasNextPage && !found.isFetching) void found.fetchNextPage();
  });
  const open = (line: SessionLine): void =>
    void navigate({
      to: '/ns/$ns/agents/$agent/sessions/$sessionId',
      params: { ns: line.ns, agent: line.agent, sessionId: line.id },
    });
  return (
    <>
      {found.isPending && <Loading />}
      {found.error && <Problem error={found.error} onRetry={() => void found.refetch()} />}
      {found.isSuccess && rows.length === 0 && !found.hasNextPage && (
        <Empty icon="chat" title={lines.length === 0 && selector === '' ? texts.none : texts.noneFiltered}>
          <p>
            {texts.noneHint} <code>{`svc chat ${agent}`.trim()}</code>
          </p>
        </Empty>
      )}
      {rows.length > 0 && (
        <Table
          label={texts.title}
          rows={rows}
          columns={columns}
          keyOf={({ id }) => id}
          onOpen={open}
          onEnd={found.hasNextPage ? () => void found.fetchNextPage() : undefined}
        />
      )}
    </>
  );
};

const Filters = ({ ns }: { readonly ns: string }): ReactElement => {
  const { agent = '', selector = '', state, find = '' } = useSearch({ from: '/ns/$ns/sessions' });
  const navigate = useNavigate({ from: '/ns/$ns/sessions' });
  const names = useAgentNames(ns);
  const change = (next: { agent?: string; selector?: string; state?: SessionState | undefined }): void =>
    void navigate({ search: (before) => ({ ...before, ...next }), replace: true });
  return (
    <>
      {ns !== EVERYWHERE && (
        <SelectField
          label={texts.agent}
          value={agent}
          options={[
            { value: '', label: texts.everyAgent },
            ...withChosen(names, agent).map((name) => ({ value: name, label: name })),
          ]}
          onChange={(next) => change({ agent: next })}
        />
      )}
      <FindField />
      {find === '' && (
        <>
          <SelectField
            label={texts.state}
            value={state ?? ''}
            options={[
              { value: '' as const, label: texts.everyState },
              ...STATES.map((known) => ({ value: known, label: known })),
            ]}
            onChange={(next) => change({ state: next === '' ? undefined : next })}
          />
          <TextField
            label={texts.selector}
            placeholder={texts.selectorHint}
            value={selector}
            onChange={(next) => change({ selector: next })}
          />
        </>
      )}
    </>
  );
};

/** Searches when the person pauses. What is in the address comes first: a link, or the way back. */
const FindField = (): ReactElement => {
  const { find = '' } = useSearch({ from: '/ns/$ns/sessions' });
  const navigate = useNavigate({ from: '/ns/$ns/sessions' });
  const [typed, setTyped] = useState(find);
  const settled = useSettled(typed.trim(), PAUSE_MS);
  const asked = useRef(find);
  useEffect(() => {
    if (asked.current === settled) return;
    asked.current = settled;
    void navigate({ search: (before) => ({ ...before, find: settled || undefined }), replace: true });
  }, [settled, navigate]);
  useEffect(() => {
    if (asked.current === find) return;
    asked.current = find;
    setTyped(find);
  }, [find]);
  return <TextField label={texts.find} type="search" value={typed} onChange={setTyped} />;
};

/** The chosen agent stays in the list, though it may be gone or not loaded yet. */
const withChosen = (names: readonly string[], chosen: string): readonly string[] =>
  chosen === '' || names.includes(chosen) ? names : [chosen, ...names];

const NewSession = ({ ns, agent }: { readonly ns: string; readonly agent: string }): ReactElement | null => {
  const can = useCan();
  const navigate = useNavigate();
  const create = useWrite((client) => client.createSession({ ns, agent }), {
    changes: { topics: ['session'] },
    onDone: ({ key }) =>
      void navigate({
        to: '/ns/$ns/agents/$agent/sessions/$sessionId',
        params: { ns: key.ns, agent: key.agent, sessionId: key.sessionId },
      }),
  });
  const isReady = agent !== '';
  const mayCreate = can('operator', {
    ns: ns === EVERYWHERE ? undefined : ns,
    agent: agent === '' ? undefined : agent,
  });
  useKey(
    { keys: 'n', does: texts.new, run: () => create.mutate(undefined) },
    isReady && mayCreate && !create.isPending,
  );
  if (!mayCreate) return null;
  return (
    <>
      {create.error && <Problem error={create.error} />}
      <CopyMenu
        command={agent === '' ? `svc get sessions -n ${ns}` : `svc get sessions -n ${ns} --agent ${agent}`}
        path={agent === '' ? `/v1/ns/${ns}/resources?kind=Session` : `/v1/ns/${ns}/agents/${agent}/sessions`}
      />
      <Button
        kind="primary"
        icon="plus"
        shortcut="n"
        disabled={!isReady}
        disabledReason={texts.chooseAgent}
        isBusy={create.isPending}
        onClick={() => create.mutate(undefined)}
      >
        {texts.new}
      </Button>
    </>
  );
};
