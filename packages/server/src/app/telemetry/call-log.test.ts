import { expect, it } from 'vitest';
import type { Log, LogFields } from '../../base/index.ts';
import type { FinishedCall } from '../../transport/contract.ts';
import { callLog } from './call-log.ts';

const recorded = (): { readonly log: Log; readonly lines: [string, LogFields | undefined][] } => {
  const lines: [string, LogFields | undefined][] = [];
  const at = (level: string) => (_message: string, fields?: LogFields) => void lines.push([level, fields]);
  return { lines, log: { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') } };
};

const call: FinishedCall = {
  operation: 'svc.gateway.GatewayService/SendMessage',
  transport: 'rest',
  code: 'OK',
  reason: '',
  durationMs: 1.23456,
  requestId: 'r1',
  identity: 'key:k1',
  traceParent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  request: { ns: 'default', agent: 'helper', sessionId: 's1', message: 'secret', labels: { a: 'secret' } },
  isStream: false,
};

it('writes names, outcome and duration of a call and none of its contents', () => {
  const { log, lines } = recorded();
  callLog(log, 'info')(call);
  expect(lines).toEqual([
    [
      'info',
      {
        request_id: 'r1',
        trace_id: '0af7651916cd43dd8448eb211c80319c',
        caller: 'key:k1',
        operation: 'svc.gateway.GatewayService/SendMessage',
        transport: 'rest',
        namespace: 'default',
        agent: 'helper',
        session: 's1',
        code: 'OK',
        reason: undefined,
        duration_ms: 1.235,
      },
    ],
  ]);
});

it('warns of calls that the server failed, keeps probes and terminals quiet', () => {
  const { log, lines } = recorded();
  const path = { ns: 'n', agent: 'a', session_id: 's' };
  callLog(log, 'info')({ ...call, code: 'INTERNAL', reason: 'INTERNAL', request: path });
  callLog(log, 'info')({ ...call, code: 'NOT_FOUND', reason: 'NOT_FOUND', request: undefined, traceParent: undefined });
  callLog(log, 'info')({ ...call, operation: 'GET /healthz' });
  callLog(log, 'debug')(call);
  callLog(log, 'debug')({ ...call, code: 'INTERNAL' });
  expect(lines.map(([level]) => level)).toEqual(['warn', 'info', 'debug', 'debug', 'warn']);
  expect(lines[0]?.[1]).toMatchObject({ namespace: 'n', agent: 'a', session: 's', reason: 'INTERNAL' });
});
