import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { TurnRow } from '../../../store/contracts/index.ts';
import { DelegationWorld } from './testing/index.ts';

const tool = (name: string, input: object): string => `!tool ${name} ${JSON.stringify(input)}`;
const send = (message: string, target = 'clerk'): string => tool('agent_send', { target, message });
const wait = (target = 'clerk', more: object = {}): string => tool('agent_wait', { target, ...more });

describe('an agent with connections', () => {
  let world: DelegationWorld;
  let session: string;

  beforeEach(async () => {
    world = new DelegationWorld({ maxRounds: 3 });
    await world.start();
    session = await world.machine.session();
  });

  afterEach(() => world.machine.dispose());

  const ask = async (...lines: readonly string[]): Promise<TurnRow> => {
    const { turnId } = await world.machine.send(session, lines.join('\n'));
    await world.settle();
    const turn = await world.machine.turn(turnId);
    if (turn === undefined) throw new Error('the turn is gone');
    return turn;
  };
  const last = async (): Promise<string> => (await world.said(session)).at(-1) ?? '';
  const child = async (alias = 'clerk-1'): Promise<TurnRow> => {
    const [turn] = (await world.children(session)).get(alias) ?? [];
    if (turn === undefined) throw new Error(`no turn in ${alias}`);
    return turn;
  };

  it('gets the reply of the agent that it waits for, once', async () => {
    const turn = await ask(send('count the boxes'), wait());
    expect(turn).toMatchObject({ state: 'COMPLETED', attempt: 1 });
    expect(await last()).toContain('agent_wait -> You said: count the boxes');
    expect(await world.said(session)).toHaveLength(2);
    expect(await child()).toMatchObject({ agent: 'clerk', state: 'COMPLETED' });
    expect(world.lineage(await child())).toEqual(['helper']);
    expect(world.identity(await child())).toBe('test');
    await ask(wait());
    expect(await last()).toContain('nothing is outstanding in clerk-1');
  });

  it('waits without a worker while the other agent works', async () => {
    const turn = await ask(send('!hold desk\n!say counted'), wait());
    expect(turn).toMatchObject({ state: 'WAITING', worker: '' });
    expect(await child()).toMatchObject({ state: 'RUNNING' });
    world.machine.process.models.releaseHold('desk');
    await world.settle();
    expect(await last()).toContain('agent_wait -> counted');
  });

  it('gets the reply as a message when it goes on without waiting, once', async () => {
    await ask(send('count the boxes'));
    const said = await world.said(session);
    expect(said.filter((text) => text.startsWith('user: Reply of agent clerk-1'))).toEqual([
      'user: Reply of agent clerk-1:\n\nYou said: count the boxes',
    ]);
    await ask(wait());
    expect(await last()).toContain('nothing is outstanding');
  });

  it('refuses circles, chains that are too deep, and exchanges without end', async () => {
    await ask(send(send('and back', 'helper')), wait());
    expect(await last()).toContain('loop_detected');
    await ask(send(`${send('!say at the end', 'intern')}\n${wait('intern')}\n!say it was so`), wait());
    const [intern] = [...(await world.children((await child()).sessionId)).values()].flat();
    expect(intern).toMatchObject({ agent: 'intern', state: 'COMPLETED' });
    expect(intern === undefined ? [] : world.lineage(intern)).toEqual(['helper', 'clerk']);
    world.setAgent('helper', [{ agent: 'clerk', maxDepth: 1 }]);
    world.setAgent('clerk', [{ agent: 'intern', maxDepth: 1 }]);
    await ask(send(send('too deep', 'intern')), wait());
    expect(await last()).toContain('depth_exceeded: the message would be 2 agents deep, at most 1');
    await ask(send('one'), send('two'), send('three'), send('four'), wait());
    expect(await last()).toContain('rounds_exceeded: 3 messages');
    await ask(send('a person asked again'), wait());
    expect(await last()).toContain('You said: a person asked again');
  });

  it('opens conversations by name, up to sixteen', async () => {
    await ask(tool('agent_open', { connection: 'clerk', name: 'stock' }), tool('agent_open', { connection: 'clerk' }));
    expect(await last()).toContain('{"target":"stock"}');
    expect(await last()).toContain('{"target":"clerk-1"}');
    await ask(tool('agent_open', { connection: 'clerk', name: 'stock' }), send('hello', 'stock'), wait('stock'));
    expect(await last()).toContain('You said: hello');
    await ask(
      ...Array.from({ length: 16 }, (_none, index) => tool('agent_open', { connection: 'clerk', name: `n${index}` })),
    );
    expect(await last()).toContain('16 conversations are open');
    await ask(send('who', 'nobody'), tool('agent_open', { connection: 'nobody' }));
    expect(await last()).toContain('nobody is neither an open conversation nor a connection');
    expect(await world.kept(session)).toHaveLength(16);
  });

  it('sends to the agent of the connection that it names, whatever its conversations are called', async () => {
    world.setAgent('helper', [{ agent: 'clerk' }, { agent: 'intern' }]);
    await ask(tool('agent_open', { connection: 'clerk', name: 'intern-1' }), send('hello', 'intern'));
    expect(await last()).toContain('intern-1 is a conversation over another connection');
    expect([...(await world.children(session)).values()].flat()).toEqual([]);
  });

  it('gives up waiting in time while the other agent goes on, and gets the reply later', async () => {
    const turn = await ask(send('!hold desk\n!say counted'), wait('clerk', { timeout_seconds: 5 }));
    await world.machine.advance(4_000);
    expect(await world.machine.turn(turn.id)).toMatchObject({ state: 'WAITING' });
    await world.machine.advance(3_000);
    await world.settle();
    expect(await last()).toContain('"code":"timeout"');
    expect(await child()).toMatchObject({ state: 'RUNNING' });
    world.machine.process.models.releaseHold('desk');
    await world.settle();
    expect((await world.said(session)).join('\n')).toContain('user: Reply of agent clerk-1:\n\ncounted');
  });

  it('waits for a task that its session asked for', async () => {
    const key = 'task:one';
    world.tasks.set('dig', { isOpen: true, key, shown: { phase: 'RUNNING' } });
    const turn = await ask(wait('dig'));
    expect(turn).toMatchObject({ state: 'WAITING', worker: '' });
    world.tasks.set('dig', { isOpen: false, key, shown: { phase: 'NEEDS_REVIEW' } });
    await world.machine.store.write((tx) => world.machine.process.runtime.wakes.wake(tx, turn.id, key));
    await world.settle();
    expect(await last()).toContain('agent_wait -> {"phase":"NEEDS_REVIEW"}');
    world.tasks.set('dig', { isOpen: true, key, shown: {} });
    await ask(wait('dig', { timeout_seconds: 2 }));
    await world.machine.advance(3_000);
    await world.settle();
    expect(await last()).toContain('task dig is still worked on');
  });

  it('stops waiting when a message steers it', async () => {
    const turn = await ask(send('!hold desk'), wait(), '!say done');
    expect(turn).toMatchObject({ state: 'WAITING' });
    await world.machine.send(session, 'never mind', { whenBusy: 'STEER' });
    await world.settle();
    expect(await world.machine.turn(turn.id)).toMatchObject({ state: 'COMPLETED' });
    expect(await child()).toMatchObject({ state: 'RUNNING' });
    await world.machine.stop(session);
  });

  it('takes the work that it gave away with it when it is stopped, and nothing else', async () => {
    const other = await world.machine.session();
    const spared = await world.machine.send(other, `${send('!hold other')}\n${wait()}`);
    const turn = await ask(send(`${send('!hold deep', 'intern')}\n${wait('intern')}`), wait());
    expect(turn).toMatchObject({ state: 'WAITING' });
    const clerk = await child();
    const [intern] = (await world.children(clerk.sessionId)).get('intern-1') ?? [];
    expect(intern).toMatchObject({ state: 'RUNNING' });
    await world.machine.stop(session);
    await world.settle();
    await world.machine.advance(1_000);
    await world.settle();
    for (const id of [turn.id, clerk.id, intern?.id ?? ''])
      expect(await world.machine.turn(id)).toMatchObject({ state: 'STOPPED' });
    expect(await world.machine.turn(spared.turnId)).toMatchObject({ state: 'WAITING' });
    expect(await world.said(session)).toHaveLength(1);
    await world.machine.stop(other);
    await world.settle();
  });

  it('learns that the other agent failed, was stopped or cleared its session', async () => {
    await ask(send('!error content_filter'), wait());
    expect(await last()).toMatch(/did not answer: Error:/);
    const waiting = await ask(send('!hold desk'), wait());
    await world.machine.stop((await child()).sessionId);
    await world.settle();
    expect(await world.machine.turn(waiting.id)).toMatchObject({ state: 'COMPLETED' });
    expect(await last()).toContain('it was stopped before it answered');
    await ask(send('!hold desk'), wait());
    await world.machine.clear((await child()).sessionId);
    await world.settle();
    expect(await last()).toContain('cleared or deleted');
  });

  it('lets the other agent read the artifacts that it sends along', async () => {
    await ask(tool('agent_send', { target: 'clerk', message: 'read this', artifact_uris: ['artifact://a'] }), wait());
    expect(world.shared).toEqual(['artifact://a with clerk']);
    expect(await last()).toContain('- artifact://a');
  });

  it('gets a reply as a message once it can take one again', async () => {
    await ask(send('!hold desk\n!say counted'));
    world.setAgent('helper', [{ agent: 'clerk' }], 'its model is away');
    world.machine.process.models.releaseHold('desk');
    await world.settle();
    expect(await world.said(session)).toHaveLength(2);
    world.setAgent('helper', [{ agent: 'clerk' }]);
    await world.machine.advance(60_000);
    await world.settle();
    const said = await world.said(session);
    expect(said.filter((text) => text === 'user: Reply of agent clerk-1:\n\ncounted')).toHaveLength(1);
  });

  it('forgets its conversations when its session is cleared', async () => {
    await ask(send('hello'), wait());
    await world.machine.clear(session);
    expect(await world.kept(session)).toEqual([]);
  });
});

describe('delegated work', () => {
  /** One process dies after its n-th write; another one brings everything to its end. */
  const run = async (at: number) => {
    const world = new DelegationWorld();
    let count = 0;
    let armed = false;
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
      const lines = [
        tool('agent_open', { connection: 'clerk', name: 'aside' }),
        send('mind', 'aside'),
        send('count'),
        wait(),
      ];
      const { turnId } = await world.machine.send(session, lines.join('\n'));
      armed = true;
      await world.settle();
      armed = false;
      const hasDied = world.machine.isDead;
      if (hasDied) await world.restart();
      for (let second = 0; second < 4; second++) {
        await world.settle();
        await world.machine.advance(1_000);
      }
      await world.settle();
      const said = await world.said(session);
      return {
        hasDied,
        state: (await world.machine.turn(turnId))?.state,
        children: [...(await world.children(session)).values()].flat().length,
        waited: said.filter((text) => text.includes('agent_wait -> You said: count')).length,
        asMessage: said.filter((text) => text === 'user: Reply of agent aside:\n\nYou said: mind').length,
      };
    } finally {
      await world.machine.dispose();
    }
  };

  /** A process dies after a call took the reply and before it recorded it; another process finds the turn changed. */
  const cutOff = async (change: Partial<TurnRow>, between: (world: DelegationWorld) => void = () => undefined) => {
    const world = new DelegationWorld();
    let results = 0;
    const faultPoint = (point: string): void => {
      if (point === 'before-tool-result' && ++results === 2) world.machine.process.gate.crashHere();
    };
    await world.start({ faultPoint });
    const session = await world.machine.session();
    const { turnId } = await world.machine.send(session, `${send('count')}\n${wait()}`);
    await world.settle();
    expect(world.machine.isDead).toBe(true);
    const [kept] = await world.kept(session);
    expect(kept?.sent).toMatchObject([{ readIn: turnId }]);
    await world.machine.store.write(async (tx) => {
      const turn = await tx.log.turn(turnId);
      if (turn !== undefined) await tx.log.saveTurn({ ...turn, ...change });
    });
    between(world);
    await world.restart();
    await world.settle();
    return { world, session, state: (await world.machine.turn(turnId))?.state };
  };

  it('leaves the reply to the next turn when its turn is stopped before the reply is recorded', async () => {
    const { world, session, state } = await cutOff({ stopRequested: true });
    try {
      expect(state).toBe('STOPPED');
      expect(await world.said(session)).toHaveLength(1);
      await world.machine.send(session, wait());
      await world.settle();
      expect((await world.said(session)).at(-1)).toContain('agent_wait -> You said: count');
    } finally {
      await world.machine.dispose();
    }
  });

  it('sends the reply as a message when its turn fails before the reply is recorded', async () => {
    const { world, session, state } = await cutOff({ attempt: 5 });
    try {
      expect(state).toBe('FAILED');
      const said = await world.said(session);
      expect(said.filter((text) => text === 'user: Reply of agent clerk-1:\n\nYou said: count')).toHaveLength(1);
    } finally {
      await world.machine.dispose();
    }
  });

  it('sends the reply as a message when the call is denied before the reply is recorded', async () => {
    const { world, session, state } = await cutOff({}, (agents) => agents.setAgent('helper', []));
    try {
      expect(state).toBe('COMPLETED');
      const said = await world.said(session);
      expect(said.join('\n')).toContain('"code":"denied"');
      expect(said.filter((text) => text === 'user: Reply of agent clerk-1:\n\nYou said: count')).toHaveLength(1);
    } finally {
      await world.machine.dispose();
    }
  });

  it('is done once and its reply arrives once, whatever write the process dies after', async () => {
    // Every third one: writes next to each other leave the same state, and the runtime tests crashes of the turn itself.
    for (let at = 1; ; at += 3) {
      const { hasDied, ...end } = await run(at);
      expect({ at, ...end }).toEqual({ at, state: 'COMPLETED', children: 2, waited: 1, asMessage: 1 });
      if (!hasDied) break;
    }
  });
});
