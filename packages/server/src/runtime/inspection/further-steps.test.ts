import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createHistoryReader } from '../history/index.ts';
import { Machine, type MachineOptions } from '../testing/machine.ts';
import { ScriptedHarness } from '../testing/scripted-harness.ts';
import { createStepInspector } from './step-inspector.ts';

const LONG = Array.from({ length: 300 }, (_, index) => `word${index}`).join(' ');

const inspector = ({ store, process, objects }: Machine) =>
  createStepInspector({
    store,
    models: process.models,
    history: createHistoryReader(),
    readObject: (namespace, object) => objects.read(namespace, object),
  });

/** A machine for each test, which does not judge what is stored when it ends: these tests change that. */
const useMachine = (options: MachineOptions): { readonly machine: Machine } => {
  const world: { machine: Machine } = { machine: undefined as never };
  beforeEach(async () => {
    world.machine = new Machine(options);
    await world.machine.start();
  });
  afterEach(() => world.machine.dispose());
  return world;
};

/** Steps of a turn with their requests, as far as these are rebuilt. */
const stepsOf = async (machine: Machine, turnId: string) => {
  const steps = inspector(machine);
  const turn = (await machine.turn(turnId))!;
  const found = [];
  for (const facts of await steps.list(turn)) found.push((await steps.rebuild(turn, facts))!);
  return found;
};

const namesOf = (found: Awaited<ReturnType<typeof stepsOf>>) =>
  found.map(({ facts: { kind, step, summary, outcome }, request }) => [kind, step, summary, outcome, request.state]);

type Request = Awaited<ReturnType<typeof stepsOf>>[number]['request'];

const piecesOf = (request: Request | undefined) =>
  request === undefined || request.state === 'unavailable'
    ? []
    : request.prompt.pieces.map(({ source, role, messageId }) => [source, role, messageId]);

const reasonOf = (request: Request | undefined) => (request?.state === 'unavailable' ? request.reason : request?.state);

const bodyOf = (request: Request | undefined) =>
  request === undefined || request.state === 'unavailable' ? '' : request.body;

/** Changes the texts of a message, as an edit does. */
const edit = (machine: Machine, sessionId: string, id: string) =>
  machine.store.write(async (tx) => {
    const row = (await tx.log.message(sessionId, id))!;
    await tx.log.saveMessage({ ...row, parts: row.parts.replaceAll('word1 ', 'other '), revision: row.revision + 1 });
  });

describe('the call of a compaction', () => {
  const world = useMachine({ spec: { systemPrompt: 'Be kind.' } });

  const compacted = async () => {
    const { machine } = world;
    const session = await machine.session();
    const pinned = await machine.send(session, 'keep 4711', { labels: { pin: 'true' } });
    await machine.quiet();
    const long = await machine.send(session, LONG);
    await machine.quiet();
    await machine.withSession(session, (tx, row, { lifecycle }) => lifecycle.requestCompaction(tx, row));
    const { turnId } = await machine.send(session, '!tool look {"n":1}\n!say end');
    await machine.quiet();
    return { machine, session, turnId, pinned, long };
  };

  it('is a step of the turn that made it, with what it was sent', async () => {
    const { machine, turnId, pinned, long } = await compacted();
    const found = await stepsOf(machine, turnId);
    expect(namesOf(found)).toEqual([
      ['compaction', 1, 1, 'summarised', 'exact'],
      ['model', 1, 0, 'tool_calls', 'exact'],
      ['model', 2, 0, 'answered', 'exact'],
    ]);
    const [summary] = found;
    expect(piecesOf(summary?.request)).toEqual([
      ['system_prompt', 'system', ''],
      ['transcript', 'assistant', pinned.replyMessageId],
      ['transcript', 'user', long.messageId],
      ['transcript', 'assistant', long.replyMessageId],
      ['instruction', 'user', ''],
    ]);
    expect(bodyOf(summary?.request)).toContain('word299');
    expect(bodyOf(summary?.request)).not.toContain('"text":"keep 4711"');
    expect(summary?.facts.usage?.totalTokens).toBeGreaterThan(300);
    expect(machine.seen.comparedSummaries).toBe(0);
    expect(await machine.seen.problems({ ...machine, models: machine.process.models })).toEqual([]);
    expect(machine.seen.comparedSummaries).toBe(1);
  });

  it('is unavailable with the reason when a message was edited, and when its journal is gone', async () => {
    const { machine, session, turnId, long } = await compacted();
    await edit(machine, session, long.messageId);
    const [edited] = await stepsOf(machine, turnId);
    expect(reasonOf(edited?.request)).toBe('MESSAGE_EDITED');
    await machine.store.write((tx) => tx.log.trimJournal(tx.now() + 1, 100));
    const found = await stepsOf(machine, turnId);
    expect(found.map(({ facts, request }) => [facts.kind, facts.step, facts.summary, reasonOf(request)])).toEqual([
      ['compaction', 1, 1, 'JOURNAL_EXPIRED'],
      ['model', 1, 0, 'JOURNAL_EXPIRED'],
      ['model', 2, 0, 'exact'],
    ]);
  });

  it('is listed without a request where a release before made it', async () => {
    const { machine, turnId } = await compacted();
    const turn = (await machine.turn(turnId))!;
    const rows = await machine.store.read((tx) => tx.log.journal(turnId));
    await machine.store.write(async (tx) => {
      await tx.log.trimJournal(tx.now() + 1, 100);
      await tx.log.appendJournal(
        rows.map((row) => {
          const { request: _request, usage: _usage, ...former } = JSON.parse(row.body) as Record<string, unknown>;
          return row.kind === 'COMPACTION' ? { ...row, body: JSON.stringify(former) } : row;
        }),
      );
    });
    const [summary] = await inspector(machine).list(turn);
    expect(summary).toEqual({
      kind: 'compaction',
      step: 1,
      summary: 1,
      toolCalls: 0,
      outcome: 'summarised',
      unavailable: 'NOT_RECORDED',
    });
  });
});

describe('the prompt of a harness', () => {
  const harness = new ScriptedHarness();
  const runtime = { kind: 'acp', acp: { harnessRef: 'demo', persistSession: true } };
  const world = useMachine({ spec: { runtime, systemPrompt: 'Be kind.' }, deps: { harnesses: harness } });
  beforeEach(() => {
    harness.deaths = 0;
    harness.prompts.length = 0;
  });

  const say = async (session: string, text: string) => {
    const sent = await world.machine.send(session, text);
    await world.machine.quiet();
    return sent;
  };

  it('is a step with the text that it was told: instructions and conversation, or the message alone', async () => {
    const { machine } = world;
    const session = await machine.session();
    const first = await say(session, `text ${LONG}`);
    const second = await say(session, 'text two');
    const found = [...(await stepsOf(machine, first.turnId)), ...(await stepsOf(machine, second.turnId))];
    expect(namesOf(found)).toEqual([
      ['harness', 1, 0, 'answered', 'exact'],
      ['harness', 1, 0, 'answered', 'exact'],
    ]);
    expect(found.map(({ request }) => bodyOf(request))).toEqual(harness.prompts);
    expect(found.map(({ request }) => piecesOf(request))).toEqual([
      [
        ['system_prompt', 'system', ''],
        ['transcript', 'user', first.messageId],
      ],
      [['transcript', 'user', second.messageId]],
    ]);
    expect(found[0]?.facts).toMatchObject({
      toolCalls: 0,
      usage: { totalTokens: 5 },
      record: { harness: { target: { provider: 'acp', model: 'demo' } } },
    });
    await edit(machine, session, first.messageId);
    expect(reasonOf((await stepsOf(machine, first.turnId))[0]?.request)).toBe('MESSAGE_EDITED');
    expect(reasonOf((await stepsOf(machine, second.turnId))[0]?.request)).toBe('exact');
  });

  it('tells the conversation to a session that does not know it, and is kept when its harness is lost', async () => {
    const { machine } = world;
    const session = await machine.session();
    const first = await say(session, 'text one');
    await machine.withSession(session, async (tx, row) => {
      await tx.log.saveSession({ ...row, body: row.body.replace(/"acpSessionId":"[^"]*"/, '"acpSessionId":""') });
    });
    harness.deaths = 1;
    const { turnId, messageId } = await say(session, 'text two\nbegin look\nend look seen');
    const found = await stepsOf(machine, turnId);
    expect(found.map(({ facts, request }) => [facts.step, facts.outcome, facts.toolCalls, request.state])).toEqual([
      [1, 'failed', 0, 'exact'],
      [2, 'answered', 1, 'exact'],
    ]);
    expect(found.map(({ request }) => bodyOf(request))).toEqual(harness.prompts.slice(1));
    expect(piecesOf(found[0]?.request)).toEqual([
      ['system_prompt', 'system', ''],
      ['transcript', 'user', first.messageId],
      ['transcript', 'assistant', first.replyMessageId],
      ['transcript', 'user', messageId],
    ]);
  });

  it('is listed while the harness works', async () => {
    const { machine } = world;
    const session = await machine.session();
    const { turnId } = await say(session, 'hold');
    expect(namesOf(await stepsOf(machine, turnId))).toEqual([['harness', 1, 0, 'unknown', 'exact']]);
    await machine.stop(session);
    await machine.quiet();
    expect(namesOf(await stepsOf(machine, turnId))).toEqual([['harness', 1, 0, 'stopped', 'exact']]);
  });

  it('is listed without its text where a release before sent it', async () => {
    const { machine } = world;
    const { turnId } = await say(await machine.session(), 'text one');
    await machine.store.write(async (tx) => {
      const row = (await tx.log.turn(turnId))!;
      const { lastCall: _gone, ...body } = JSON.parse(row.body) as Record<string, unknown>;
      await tx.log.saveTurn({ ...row, body: JSON.stringify(body) });
    });
    const [step, ...more] = await inspector(machine).list((await machine.turn(turnId))!);
    expect(more).toEqual([]);
    expect(step).toMatchObject({ kind: 'harness', step: 1, unavailable: 'NOT_RECORDED' });
  });
});
