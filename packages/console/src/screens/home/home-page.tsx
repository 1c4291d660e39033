import type { ReactElement } from 'react';
import { Loading } from '../../ui/loading.tsx';
import { Page } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import { useInbox } from '../inbox/inbox-data.ts';
import { Activity } from './activity.tsx';
import { FirstSteps } from './first-steps.tsx';
import styles from './home.module.css';
import {
  AGENTS_ASKED,
  useAll,
  useConversations,
  useDeliveries,
  useLiveTurns,
  useRuns,
  withTurns,
} from './home-data.ts';
import { dueSchedules, scheduleLines } from './home-facts.ts';
import { Instance } from './instance.tsx';
import { needsOf } from './needs.ts';
import { NeedsYou } from './needs-you.tsx';
import { texts } from './texts.ts';
import { ActiveNow, DueSchedules } from './what-runs.tsx';

/** What needs the person first, then what happens. */
export const HomePage = (): ReactElement => {
  const agents = useAll('Agent');
  const schedules = useAll('Schedule');
  const policies = useAll('UsagePolicy');
  const classes = useAll('ConnectorClass');
  const deliveries = useDeliveries();
  const runs = useRuns();
  const conversations = useConversations(agents.data);
  const turns = useLiveTurns();
  const inbox = useInbox({});
  const nowMs = Date.now();
  const lines = scheduleLines(schedules.data ?? []);
  const talks = withTurns(conversations.data ?? [], turns);
  const parts = [agents, schedules, policies, classes, deliveries, runs, conversations];
  const failed = parts.filter(({ error }) => error !== null);
  const needs = needsOf({
    items: inbox.items,
    turns,
    deliveries: deliveries.data ?? [],
    runs: runs.data ?? [],
    schedules: lines,
    classes: classes.data ?? [],
    policies: policies.data ?? [],
    nowMs,
  });
  const isLoading = inbox.isPending || parts.some((part) => part.isLoading);
  return (
    <Page title={texts.title}>
      {failed[0]?.error && (
        <Problem error={failed[0].error} onRetry={() => failed.forEach((part) => void part.refetch())} />
      )}
      {inbox.errors[0] && <Problem error={inbox.errors[0]} onRetry={inbox.reload} />}
      {isLoading && needs.length === 0 ? <Loading /> : <NeedsYou needs={needs} isSure={!isLoading} />}
      <FirstSteps />
      <Activity
        conversations={talks}
        deliveries={deliveries.data ?? []}
        runs={runs.data ?? []}
        nowMs={nowMs}
        note={(agents.data?.length ?? 0) > AGENTS_ASKED ? texts.asked(AGENTS_ASKED) : undefined}
      />
      <div className={styles.columns}>
        <ActiveNow conversations={talks.filter(({ state }) => state !== 'IDLE')} />
        <DueSchedules lines={dueSchedules(lines, nowMs)} />
        <Instance agents={agents.data?.length} />
      </div>
    </Page>
  );
};
