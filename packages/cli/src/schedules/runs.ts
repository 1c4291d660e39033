import type { GlobalOptions } from '../connection.ts';
import { openPlain } from '../context.ts';
import type { Host } from '../host.ts';
import { mapOf, mapsOf, msOf, textOf } from '../json-value.ts';
import { outputForm, printList, printValue } from '../output.ts';
import { harmless, localTime, renderTable } from '../terminal/index.ts';

/** `svc schedule run NAME`: starts what the schedule starts once, now. */
export const runNow = async (host: Host, name: string, options: GlobalOptions): Promise<void> => {
  const form = outputForm(options.output);
  const { call, target, note } = await openPlain(host, options);
  const ns = target.namespace;
  const { sessionId, turnId, runId } = await call('SessionControlService/RunSchedule', { ns, name });
  const run = textOf(runId);
  if (form.form === 'name') return host.stdout.write(run === '' ? `session/${textOf(sessionId)}\n` : `run/${run}\n`);
  if (form.form !== 'table' && form.form !== 'wide')
    return printValue(
      host,
      run === '' ? { sessionId: textOf(sessionId), turnId: textOf(turnId) } : { runId: run },
      form,
    );
  const started = run === '' ? `turn ${textOf(turnId)} in session ${textOf(sessionId)}` : `run ${run}`;
  host.stdout.write(`schedule/${name} started ${started}\n`);
  note(`see what comes of it: svc schedule history ${name}`);
};

/** `svc schedule history NAME`: what happened to the schedule lately, oldest first; the server keeps 20 events. */
export const showHistory = async (host: Host, name: string, options: GlobalOptions): Promise<void> => {
  const form = outputForm(options.output);
  const { call, target, note } = await openPlain(host, options);
  const { schedule } = await call('GatewayService/GetSchedule', { ns: target.namespace, name });
  const status = mapOf(mapOf(schedule)['status']);
  const events = mapsOf(status['recentEvents']).map(({ timestamp = '0', phase, outcome, detail }) => ({
    time: new Date(msOf(timestamp)).toISOString(),
    event: `${textOf(phase)}/${textOf(outcome)}`,
    detail: textOf(detail),
  }));
  if (form.form !== 'table' && form.form !== 'wide') return printList(host, { items: events }, form);
  if (events.length === 0) return note(`nothing has happened to schedule ${name} yet`);
  const rows = events.map(({ time, event, detail }) => [localTime(Date.parse(time)), event, harmless(detail)]);
  host.stdout.write(renderTable(['TIME', 'EVENT', 'DETAIL'], rows, host.stdout.columns));
  const session = textOf(status['lastSessionId']);
  if (session !== '') note(`the last run was in session ${session}`);
};
