import type { Schedule, ScheduleEvent } from '@svc/api/resources';
import { useParams } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useCan } from '../../access/access-context.ts';
import { addresses, Goto, TrailLink } from '../../app/address.tsx';
import { useKey } from '../../keys/use-keys.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { CopyMenu } from '../../ui/copy-menu.tsx';
import { Facts } from '../../ui/facts.tsx';
import { Loading } from '../../ui/loading.tsx';
import { notify } from '../../ui/notices.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import { Time } from '../../ui/time.tsx';
import { type ScheduleKey, useRunNow, useSchedule, useSwitch } from './schedule-data.ts';
import { eventWords, plannedRuns, targetText, whenText } from './schedule-facts.ts';
import styles from './schedules.module.css';
import { texts } from './texts.ts';

/** One schedule: when it runs, what it starts, and what came of it. */
export const SchedulePage = (): ReactElement => {
  const { ns = '', name = '' } = useParams({ strict: false });
  const key = { ns, name };
  // Another schedule is another page: a refusal belongs to the one that was asked.
  const own = `${ns}/${name}`;
  const can = useCan();
  const found = useSchedule(key);
  const schedule = found.data?.schedule;
  const isOff = schedule?.spec?.enabled === false;
  return (
    <Page
      title={name}
      above={<Goto to={addresses.schedules(ns)}>{`${texts.title} in ${ns}`}</Goto>}
      badge={schedule && <Badge tone={isOff ? 'calm' : 'good'}>{isOff ? texts.off : texts.on}</Badge>}
      actions={
        <>
          {schedule && can('operator', { ns }) && <RunNow key={`run ${own}`} scheduleKey={key} />}
          {schedule && can('admin', { ns }) && <Switch key={`switch ${own}`} scheduleKey={key} schedule={schedule} />}
          <Goto to={addresses.resource(ns, 'Schedule', name)}>{texts.edit}</Goto>
          <CopyMenu
            command={`svc schedule next ${name} -n ${ns} --count 10`}
            path={`/v1/ns/${ns}/schedules/${name}?preview=10`}
          />
        </>
      }
    >
      {found.isPending && <Loading />}
      {found.error && <Problem error={found.error} onRetry={() => void found.refetch()} />}
      {schedule && <ScheduleView scheduleKey={key} schedule={schedule} nextRuns={found.data?.nextRuns ?? []} />}
    </Page>
  );
};

const RunNow = ({ scheduleKey }: { readonly scheduleKey: ScheduleKey }): ReactElement => {
  const run = useRunNow(scheduleKey, () => notify(texts.started));
  useKey({ keys: 'x', does: texts.runNow, run: () => run.mutate(undefined) }, !run.isPending);
  return (
    <>
      {run.error && <Problem error={run.error} />}
      <Button kind="primary" icon="play" shortcut="x" isBusy={run.isPending} onClick={() => run.mutate(undefined)}>
        {texts.runNow}
      </Button>
    </>
  );
};

interface ScheduleProps {
  readonly scheduleKey: ScheduleKey;
  readonly schedule: Schedule;
}

const Switch = ({ scheduleKey, schedule }: ScheduleProps): ReactElement => {
  const change = useSwitch(scheduleKey);
  const isOff = schedule.spec?.enabled === false;
  return (
    <>
      {change.error && <Problem error={change.error} />}
      <Button icon={isOff ? 'play' : 'pause'} isBusy={change.isPending} onClick={() => change.mutate(schedule)}>
        {isOff ? texts.enable : texts.disable}
      </Button>
    </>
  );
};

const ScheduleView = ({
  scheduleKey: { ns },
  schedule: { spec, status },
  nextRuns,
}: ScheduleProps & { readonly nextRuns: readonly bigint[] }): ReactElement => {
  const session = status?.lastSessionId ?? '';
  const agent = spec?.target?.agent ?? '';
  return (
    <div className={styles.columns}>
      <Section title={texts.when}>
        <Facts
          rows={[
            [texts.when, <code key="when">{whenText(spec)}</code>],
            [texts.zone, spec?.timezone || 'UTC'],
            [texts.target, targetText(spec?.target)],
            [texts.input, spec?.inputMessage],
            [texts.inputJson, spec?.target?.workflow === '' ? undefined : spec?.inputJson],
            [texts.last, status?.lastRunAt && <Time key="last" at={status.lastRunAt} />],
            [
              texts.session,
              session !== '' && agent !== '' && (
                <Goto key="session" to={addresses.session(ns, agent, session)}>
                  {session}
                </Goto>
              ),
            ],
          ]}
        />
        {status?.lastError && (
          <p className={styles.wrong}>
            {texts.error}: {status.lastError}
          </p>
        )}
      </Section>
      <Section title={texts.nextRuns}>
        {nextRuns.length === 0 && <p className={styles.soft}>{texts.noNext}</p>}
        <ol className={styles.lines}>
          {plannedRuns(nextRuns, spec?.timezone ?? '').map(({ at, text, offset, isAfterChange }) => (
            <li key={String(at)}>
              <span>{text}</span>
              <span className={styles.soft}>{offset}</span>
              <span className={styles.soft}>
                <Time at={at} />
              </span>
              {isAfterChange && <Badge tone="warn">{texts.changes}</Badge>}
            </li>
          ))}
        </ol>
      </Section>
      <History ns={ns} events={status?.recentEvents ?? []} />
    </div>
  );
};

/** Details that name what was started, such as `turn 01a2...`. */
const STARTED = /^(?:turn|run) ([0-9a-f-]{36})$/;

const History = ({ ns, events }: { readonly ns: string; readonly events: readonly ScheduleEvent[] }): ReactElement => (
  <Section title={texts.history}>
    {events.length === 0 && <p className={styles.soft}>{texts.noHistory}</p>}
    <ol className={styles.lines}>
      {events.toReversed().map((event) => {
        const { text, tone } = eventWords(event);
        const [, startedId] = STARTED.exec(event.detail) ?? [];
        return (
          <li key={`${event.timestamp} ${event.phase} ${event.outcome}`}>
            <span className={styles.soft}>
              <Time at={event.timestamp} />
            </span>
            <Badge tone={tone}>{text}</Badge>
            {startedId === undefined ? (
              <span>{event.detail}</span>
            ) : (
              <TrailLink ns={ns} id={startedId}>
                {texts.openSession}
              </TrailLink>
            )}
          </li>
        );
      })}
    </ol>
  </Section>
);
