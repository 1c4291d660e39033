import { expect, it } from 'vitest';
import { fakeHost } from '../testing/fake-host.ts';

const delivery = (id: string, more: object = {}) => ({
  id,
  ns: 'acme',
  connector: 'help',
  connectorClass: 'chat',
  state: 'held',
  text: 'Hello\nAnn',
  createdAt: 0n,
  sessionId: 's1',
  ...more,
});

/** A server with two deliveries; what it was asked. */
const host = () => {
  const asked: unknown[] = [];
  const decide = (name: string, state: string) => (request: { ns: string; deliveryId: string }) => {
    asked.push([name, request.ns, request.deliveryId]);
    return { delivery: delivery(request.deliveryId, { state }) };
  };
  const unary = {
    ListDeliveries: ({ ns, connector, state }: { ns: string; connector: string; state: string }) => {
      asked.push(['list', ns, connector, state]);
      if (ns === 'empty') return { deliveries: [] };
      const pending = { state: 'pending', attempts: 2, lastError: 'HTTP_503', nextAttemptAt: 60_000_000n };
      return { deliveries: [delivery('01ab'), delivery('01ac', pending)] };
    },
    ReleaseDelivery: decide('release', 'pending'),
    SkipDelivery: decide('skip', 'skipped'),
    RetryDelivery: decide('retry', 'pending'),
  };
  return { ...fakeHost({ handlers: { unary } }), asked };
};

it('svc delivery list shows one line each, and hands filters on', async () => {
  const { run, out, asked } = host();
  expect(await run('delivery', 'list', '-n', 'acme', '--state', 'held', '--connector', 'help', '-o', 'wide')).toBe(0);
  expect(asked).toEqual([['list', 'acme', 'help', 'held']]);
  const [headings, first] = out().split('\n');
  expect(headings).toMatch(/^DELIVERY +CONNECTOR +STATE +ATTEMPTS +AGE +TEXT +ERROR +SESSION$/);
  expect(first).toContain('Hello Ann');
});

it('svc delivery list refuses a state that there is not, and says where nothing is', async () => {
  const { run, err } = host();
  expect(await run('delivery', '--state', 'lost')).not.toBe(0);
  expect(err()).toContain('lost is not a state of deliveries');
  const empty = host();
  expect(await empty.run('delivery', 'list', '-n', 'empty')).toBe(0);
  expect(empty.err()).toBe('no deliveries in namespace empty\n');
});

it('svc delivery list prints names and JSON', async () => {
  const { run, out } = host();
  await run('delivery', 'list', '-o', 'name');
  await run('delivery', 'list', '-o', 'jsonl');
  expect(out()).toMatch(/^delivery\/01ab\ndelivery\/01ac\n\{"id":"01ab"/);
});

it('svc delivery show prints one delivery with its text', async () => {
  const { run, out } = host();
  expect(await run('delivery', 'show', '01ac')).toBe(0);
  expect(out()).toContain('State: pending\nAttempts: 2\nError: HTTP_503\n');
  expect(out()).toMatch(/\nNext: .*\n\nHello\nAnn\n$/);
  expect(await run('delivery', 'show', 'delivery/01ab', '-o', 'json')).toBe(0);
  expect(out()).toContain('"id": "01ab"');
});

it.each([
  ['release', 'pending'],
  ['skip', 'skipped'],
  ['retry', 'pending'],
])('svc delivery %s finds the delivery by the beginning of its id', async (word, state) => {
  const { run, out, err, asked } = host();
  expect(await run('delivery', word, '01a', '-n', 'acme')).not.toBe(0);
  expect(err()).toContain('01a fits 2 deliveries');
  expect(await run('delivery', word, '02', '-n', 'acme')).not.toBe(0);
  expect(await run('delivery', word, 'delivery/', '-n', 'acme')).not.toBe(0);
  expect(await run('delivery', word, '01ab', '-n', 'acme')).toBe(0);
  expect(asked.at(-1)).toEqual([word, 'acme', '01ab']);
  expect(out()).toBe(`delivery/01ab ${state}\n`);
});
