import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { calculateTool } from '../tools/index.ts';
import { EVENT, PART } from './index.ts';
import { EngineHarness } from './testing/engine-harness.ts';

describe('turn engine', () => {
  let engine: EngineHarness;
  beforeEach(async () => {
    engine = new EngineHarness();
    await engine.start();
  });
  afterEach(async () => {
    await engine.stop();
    await engine.dispose();
  });

  it('answers a plain message with one user and one assistant message', async () => {
    const session = await engine.session();
    const { turnId, replyMessageId } = await engine.send(session, 'hello there');
    const end = await engine.ended(turnId);
    expect(end).toMatchObject({ kind: EVENT.DONE, reason: 'completed', messageId: replyMessageId });
    const messages = await engine.messages(session);
    expect(messages.map((message) => message.role)).toEqual([1, 2]);
    expect(messages[1]?.parts.map((part) => part.type)).toEqual([PART.TEXT, PART.USAGE]);
    expect(await engine.reply(session)).toBe('You said: hello there');
  });

  it('shows text deltas that join to the stored text and sequences that count their units', async () => {
    const session = await engine.session();
    const { turnId } = await engine.send(session, 'one two three four');
    await engine.ended(turnId);
    const deltas = engine.events.filter((event) => event.kind === EVENT.DELTA && event.part?.type === PART.TEXT);
    expect(deltas.map((event) => event.part?.content).join('')).toBe(await engine.reply(session));
    let last = engine.events[0] ? engine.events[0].sequence - engine.events[0].units : 0;
    for (const event of engine.events) {
      expect(event.sequence - event.units).toBe(last);
      last = event.sequence;
    }
  });

  it('runs queued turns in admission order', async () => {
    const session = await engine.session();
    const sent = await Promise.all(['a', 'b', 'c'].map((text) => engine.send(session, text)));
    for (const one of sent) await engine.ended(one.turnId);
    const texts = (await engine.messages(session)).map((message) => message.parts[0]?.content);
    expect(texts).toEqual(['a', 'You said: a', 'b', 'You said: b', 'c', 'You said: c']);
  });

  it('ends a turn at once whose model calls a tool with arguments nested too deep', async () => {
    await engine.dispose();
    engine = new EngineHarness({ tools: [calculateTool] });
    await engine.start();
    const session = await engine.session();
    const deep = `${'{"a":'.repeat(8_000)}1${'}'.repeat(8_000)}`;
    const { turnId } = await engine.send(session, `!tool calculate ${deep}\n!say done`);
    expect(await engine.ended(turnId)).toMatchObject({ kind: EVENT.DONE, reason: 'completed' });
    const [, answer] = await engine.messages(session);
    const result = answer?.parts.find((part) => part.type === PART.TOOL_RESULT);
    expect(result).toMatchObject({ payload: { is_error: true, output: { code: 'invalid_arguments' } } });
    expect(await engine.reply(session)).toBe('done');
  });

  it('fails a turn with an ERROR part and runs the next one normally', async () => {
    const session = await engine.session();
    const failed = await engine.send(session, '!say partly\n!error provider_auth');
    expect(await engine.ended(failed.turnId)).toMatchObject({ kind: EVENT.ERROR, reason: 'provider_auth' });
    const next = await engine.send(session, 'fine');
    expect(await engine.ended(next.turnId)).toMatchObject({ kind: EVENT.DONE });
    const messages = await engine.messages(session);
    expect(messages[1]?.parts.at(-1)).toMatchObject({ type: PART.ERROR, payload: { reason: 'provider_auth' } });
    expect(messages[1]?.labels['svc/message-state']).toBe('failed');
  });
});
