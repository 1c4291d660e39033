import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PeerFailure } from '../../../protocols/a2a/client-contract.ts';
import type { TurnRow } from '../../../store/contracts/index.ts';
import { DelegationWorld } from './testing/index.ts';

const tool = (name: string, input: object): string => `!tool ${name} ${JSON.stringify(input)}`;
const send = (message: string, target = 'far'): string => tool('agent_send', { target, message });
const wait = (target = 'far', more: object = {}): string => tool('agent_wait', { target, ...more });
const text = (value: string) => [{ kind: 'text', text: value } as const];
const FAR = { agent: 'far', cardUrl: 'http://far/card', timeoutSeconds: 30 };

describe('an agent elsewhere', () => {
  let world: DelegationWorld;
  let session: string;

  beforeEach(async () => {
    world = new DelegationWorld();
    world.setAgent('helper', [FAR, { agent: 'clerk' }]);
    await world.start();
    session = await world.machine.session();
  });

  afterEach(() => world.machine.dispose());

  const settle = async (seconds = 0): Promise<void> => {
    await world.settle();
    for (let second = 0; second < seconds; second++) {
      await world.machine.advance(1_000);
      await world.settle();
    }
  };
  const ask = async (...lines: readonly string[]): Promise<TurnRow> => {
    const { turnId } = await world.machine.send(session, lines.join('\n'));
    await settle();
    return state(turnId);
  };
  const state = async (turnId: string): Promise<TurnRow> => {
    const turn = await world.machine.turn(turnId);
    if (turn === undefined) throw new Error('the turn is gone');
    return turn;
  };
  const last = async (): Promise<string> => (await world.said(session)).at(-1) ?? '';

  it('gets a message with its lineage, and its reply resumes the call that waits', async () => {
    const turn = await ask(send('count the boxes'), wait());
    expect(turn).toMatchObject({ state: 'WAITING', worker: '' });
    const [sent, ...others] = world.peer.received;
    expect(others).toEqual([]);
    expect(sent).toMatchObject({ contextId: '', taskId: '', parts: text('count the boxes'), bearer: '' });
    expect(sent?.metadata).toEqual({
      'svc/lineage': [{ server: 'http://here', namespace: 'default', agent: 'helper', turn_id: turn.id }],
    });
    world.peer.shows = { state: 'completed', parts: text('41 boxes') };
    await settle(2);
    expect(await state(turn.id)).toMatchObject({ state: 'COMPLETED' });
    expect(await last()).toContain('agent_wait -> 41 boxes');
    await ask(send('and again'));
    expect(world.peer.received.at(-1)).toMatchObject({ contextId: 'context-1', taskId: '' });
    const replies = (await world.said(session)).filter((said) => said.startsWith('user: Reply of agent far-1'));
    expect(replies).toEqual(['user: Reply of agent far-1:\n\n41 boxes']);
  });

  it('gets a cancellation when its answer is late, and the call reports a time-out', async () => {
    const turn = await ask(send('count'), wait('far', { timeout_seconds: 3 }));
    await settle(5);
    expect(await state(turn.id)).toMatchObject({ state: 'COMPLETED' });
    expect(await last()).toContain('"code":"timeout"');
    expect(world.peer.cancelled).toEqual(['task-1']);
    world.peer.shows = { state: 'completed', parts: text('late') };
    await settle(3);
    expect((await world.said(session)).join('\n')).not.toContain('late');
  });

  it('gets a cancellation when the turn that asked is stopped, or its session cleared', async () => {
    await ask(send('count'), wait());
    await world.machine.stop(session);
    await settle(3);
    expect(world.peer.cancelled).toEqual(['task-1']);
    await ask(send('count again'));
    await world.machine.clear(session);
    await settle(3);
    expect(world.peer.cancelled).toEqual(['task-1', 'task-2']);
    expect(await world.said(session)).toEqual([]);
  });

  it('asks something, and gets the answer in the same task', async () => {
    world.peer.shows = { state: 'input-required', statusParts: text('Which boxes?') };
    await ask(send('count'), wait());
    expect(await last()).toContain('far-1 waits for an answer by agent_send: Which boxes?');
    world.peer.shows = { state: 'completed', parts: text('7 red ones') };
    await ask(send('the red ones'), wait());
    expect(world.peer.received.at(-1)).toMatchObject({ taskId: 'task-1', contextId: 'context-1' });
    expect(await last()).toContain('agent_wait -> 7 red ones');
    world.peer.shows = { state: 'auth-required', statusParts: text('https://far/login') };
    await ask(send('more'));
    expect(await world.said(session)).toContain(
      'user: Agent far-1 waits for an answer, which agent_send gives it:\n\nIt waits for someone to sign in: https://far/login',
    );
  });

  it('is not sent what it does not take, nor more than the chain may be deep', async () => {
    world.peer.inputModes = ['image/png'];
    await ask(send('count'));
    expect(await last()).toContain('the agent takes image/png');
    world.peer.fails = new PeerFailure('unavailable', 'it cannot be reached');
    await ask(send('count'));
    expect(await last()).toContain('the agent of connection far cannot be used: it cannot be reached');
    world.peer.fails = new PeerFailure('refused', 'it answered 302');
    await ask(send('count'));
    expect(await last()).toContain('it answered 302');
    world.peer.fails = undefined;
    world.peer.inputModes = [];
    world.setAgent('clerk', [{ ...FAR, maxDepth: 1 }]);
    await ask(tool('agent_send', { target: 'clerk', message: send('deep') }), wait('clerk'));
    expect(await last()).toContain('depth_exceeded');
    expect(world.peer.received).toEqual([]);
  });

  it('gets artifacts within the message, large ones as links, and none that it does not take', async () => {
    const { objects } = world.machine;
    const artifact = async (name: string, mediaType: string, bytes: Uint8Array) => {
      world.objects.set(`artifact://${name}`, await objects.store('default', bytes, { mediaType, filename: name }));
      return `artifact://${name}`;
    };
    const small = await artifact('small.png', 'image/png', new Uint8Array([1, 2]));
    const large = await artifact('large.png', 'image/png', new Uint8Array(2_000_000));
    const sendAll = (...uris: readonly string[]) =>
      tool('agent_send', { target: 'far', message: 'look', artifact_uris: uris });
    world.peer.inputModes = ['text/plain'];
    await ask(sendAll(small));
    expect(await last()).toContain('artifact_uris: small.png is image/png, the agent takes text/plain');
    world.peer.inputModes = ['text/plain', 'image/*'];
    await ask(sendAll(small, 'artifact://none'));
    expect(await last()).toContain('there is no artifact artifact://none');
    world.serverUrl = 'http://127.0.0.1:7420';
    await ask(sendAll(large));
    expect(await last()).toContain('large.png is too large to be sent within the message');
    expect(world.peer.received).toEqual([]);
    world.serverUrl = 'https://svc.example';
    await ask(sendAll(small, large));
    expect(world.peer.received.at(-1)?.parts).toEqual([
      { kind: 'text', text: 'look' },
      { kind: 'bytes', bytes: new Uint8Array([1, 2]), mediaType: 'image/png', filename: 'small.png' },
      { kind: 'url', url: 'https://svc.example/v1/objects/object-1', mediaType: 'image/png', filename: 'large.png' },
    ]);
    world.peer.shows = { state: 'completed', parts: text('seen') };
    await settle(2);
    objects.bytes.clear();
    await ask(sendAll(small));
    expect((await world.said(session)).join()).toContain('the artifact small.png of the message is gone');
    expect(world.peer.received).toHaveLength(1);
  });

  it('is tried again while it cannot be reached, until the connection waits no longer', async () => {
    await ask(send('count'), wait('far', { timeout_seconds: 600 }));
    world.peer.fails = new PeerFailure('unavailable', 'it answered 503');
    await settle(10);
    world.peer.fails = undefined;
    world.peer.shows = { state: 'completed', parts: text('back again') };
    await settle(20);
    expect(await last()).toContain('agent_wait -> back again');
    world.peer.shows = {};
    const { id } = await ask(send('count'), wait('far', { timeout_seconds: 600 }));
    world.peer.fails = new PeerFailure('unavailable', 'it answered 503');
    await settle(70);
    expect(await state(id)).toMatchObject({ state: 'COMPLETED' });
    expect(await last()).toContain('did not answer: it answered 503');
  });

  it('has what the connection does not take kept as artifacts, once', async () => {
    const bytes = new TextEncoder().encode('png');
    world.peer.shows = {
      state: 'completed',
      parts: [...text('see the picture'), { kind: 'bytes', bytes, mediaType: 'image/png', filename: 'box.png' }],
    };
    await ask(send('draw'), wait());
    expect([...world.artifacts.values()]).toEqual(['box.png']);
    expect(await last()).toContain('box.png (image/png, 3 bytes): artifact://');
  });

  it('may forget the conversation: the message after the one that fails begins another', async () => {
    world.peer.shows = { state: 'completed', parts: text('hello') };
    await ask(send('hi'), wait());
    world.peer.contexts.clear();
    await ask(send('hi again'), wait());
    expect(await last()).toContain('did not answer: it knows no such task');
    await ask(send('who are you'), wait());
    expect(world.peer.received.at(-1)).toMatchObject({ contextId: '', parts: text('who are you') });
    expect(await last()).toContain('agent_wait -> hello');
  });

  it('is not sent to over a connection that leads elsewhere now', async () => {
    world.peer.shows = { state: 'completed', parts: text('hello') };
    await ask(send('hi'), wait(), tool('agent_status', { target: 'far' }));
    expect(await last()).toContain('"agent":"http://far/card"');
    world.setAgent('helper', [{ ...FAR, cardUrl: 'http://other/card' }]);
    await ask(send('hi', 'far-1'));
    expect(await last()).toContain('leads to another agent now');
  });
});

describe('a message to an agent elsewhere', () => {
  /** Dies after the write with this number, then runs in a new process. */
  const run = async (at: number) => {
    const world = new DelegationWorld();
    world.setAgent('helper', [FAR]);
    let armed = false;
    let count = 0;
    const watch = {
      onWrite: (moment: string): void => {
        if (!armed || moment !== 'after') return;
        count += 1;
        if (count === at) world.machine.process.gate.crashHere();
      },
    };
    try {
      await world.start({ watch });
      const session = await world.machine.session();
      const { turnId } = await world.machine.send(
        session,
        [send('count'), wait('far', { timeout_seconds: 600 })].join('\n'),
      );
      armed = true;
      await world.settle();
      world.peer.shows = { state: 'completed', parts: text('41 boxes') };
      await world.machine.advance(2_000);
      await world.settle();
      armed = false;
      const hasDied = world.machine.isDead;
      if (hasDied) await world.restart();
      for (let minute = 0; minute < 3; minute++) {
        await world.settle();
        await world.machine.advance(61_000);
      }
      await world.settle();
      return {
        hasDied,
        state: (await world.machine.turn(turnId))?.state,
        messages: new Set(world.peer.received.map(({ id }) => id)).size,
        tasks: new Set([...world.peer.tasks.values()].map(({ id }) => id)).size,
        waited: (await world.said(session)).filter((said) => said.includes('agent_wait -> 41 boxes')).length,
        cancelled: world.peer.cancelled.length,
      };
    } finally {
      await world.machine.dispose();
    }
  };

  it('is one message and one task, and its reply arrives once, whatever write the process dies after', async () => {
    for (let at = 1; ; at += 2) {
      const { hasDied, ...end } = await run(at);
      expect({ at, ...end }).toEqual({ at, state: 'COMPLETED', messages: 1, tasks: 1, waited: 1, cancelled: 0 });
      if (!hasDied) break;
    }
  });
});
