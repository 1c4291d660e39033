import { beforeAll, describe, expect, it } from 'vitest';
import { AppUnderTest, answerLines, ConnectorBench, ConnectorServiceUnderTest } from './testing/index.ts';

const service = ConnectorServiceUnderTest.ofSuite();
const app = AppUnderTest.ofSuite();
const { rest } = app;
const bench = new ConnectorBench(app, service);

interface Shown {
  readonly topic: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** What a console is shown, from when it is connected on. */
const openConsole = async (query: string) => {
  const control = new AbortController();
  const answer = await rest.fetch(`/v1/ui/events?${query}`, { signal: control.signal });
  if (answer.body === null) throw new Error(`no stream: ${answer.status}`);
  const lines = answerLines(answer.body.values());
  const seen: Shown[] = [];
  let topic = '';
  /** The first event that fits, read before or still to come. */
  const until = async (fits: (event: Shown) => boolean): Promise<Shown> => {
    for (;;) {
      const found = seen.find(fits);
      if (found !== undefined) return found;
      const { done, value: line } = await lines.next();
      if (done) throw new Error(`ended after ${seen.map((event) => event.topic).join(' ')}`);
      if (line.startsWith('event: ')) topic = line.slice('event: '.length);
      if (!line.startsWith('data: ')) continue;
      seen.push({ topic, data: JSON.parse(line.slice('data: '.length)) as Shown['data'] });
    }
  };
  await until((event) => event.topic === 'ready');
  return { seen, until, close: () => control.abort() };
};

beforeAll(async () => {
  const consumer = { consumer: { session: { agent: { name: 'helper' }, replyMode: 'hold_for_review' } } };
  await bench.apply(
    { kind: 'Agent', metadata: { name: 'helper' }, spec: { capabilities: { people: ['ask'] } } },
    { kind: 'Workflow', metadata: { name: 'gate' }, spec: { steps: [{ id: 'stop', type: 'pause', prompt: 'go?' }] } },
    bench.classDocument('chat'),
    bench.connectorDocument('held', { team: 'held' }, consumer),
  );
  await bench.becomes('Connector', 'held', 'ready');
});

describe('a console', () => {
  it('is shown a run, also while it waits for a person', async () => {
    const console = await openConsole('topics=run&ns=default');
    const { run } = await rest.ok<{ run: { id: string } }>('POST /v1/ns/default/workflows/gate/runs', {});
    await console.until(({ data }) => data['type'] === 'run_suspended');
    await rest.ok(`POST /v1/ns/default/workflows/gate/runs/${run.id}:resume`, { stepId: 'stop' });
    await console.until(({ data }) => data['type'] === 'run_completed');
    expect(console.seen.slice(1).map(({ topic, data }) => [topic, data['runId'], data['type']])).toEqual(
      ['run_started', 'step_started', 'run_suspended', 'run_resumed', 'step_completed', 'run_completed'].map((type) => [
        'run',
        run.id,
        type,
      ]),
    );
    console.close();
  });

  it('is shown what a turn of a platform asks people, its answer, and the reply that is held', async () => {
    const console = await openConsole('topics=turn,delivery&ns=default');
    const event = bench.event({ matchFields: { team: 'held' }, text: '!tool ask_user {"question":"Which city?"}' });
    const sessionId = await bench.session(event);
    const waiting = await console.until(({ data }) => data['state'] === 'TURN_STATE_WAITING');
    expect(waiting).toMatchObject({ topic: 'turn', data: { sessionId } });
    const [asked] = waiting.data['pendingPermissions'] as readonly { readonly id: string; readonly prompt: string }[];
    expect(asked).toMatchObject({ kind: 'input', prompt: 'Which city?' });
    const session = `/v1/ns/default/agents/helper/sessions/${sessionId}`;
    await rest.ok(`POST ${session}/permissions/${asked?.id}`, { decision: 'DENY' });
    const ended = await console.until(({ data }) => data['state'] === 'TURN_STATE_COMPLETED');
    expect(ended.data).toMatchObject({ sessionId, pendingPermissions: [] });
    const held = await console.until(({ topic }) => topic === 'delivery');
    expect(held.data).toMatchObject({ ns: 'default', connector: 'held', state: 'held', sessionId });
    console.close();
  });
});
