import { describe, expect, it } from 'vitest';
import type { ModelFacts } from '../../models/contract.ts';
import { type CompactionKeeps, PART, type Part, type PromptPlan, type TranscriptMessage } from '../contract.ts';
import { createPromptAssembler } from './index.ts';

const FACTS: ModelFacts = {
  window: 2000,
  maxOutput: 200,
  inputs: ['text'],
  tools: true,
  temperature: true,
  thinking: 'none',
  efforts: [],
  known: true,
};
const words = (text: string): number => text.match(/\S+/g)?.length ?? 0;
const models = {
  facts: () => FACTS,
  countTokens: (_target: unknown, text: string) => words(text),
  tokenBound: (_target: unknown, text: string) => words(text),
};
const filler = (count: number): string => Array.from({ length: count }, () => 'w').join(' ');
const text = (content: string): Part => ({ id: '000000', type: PART.TEXT, content, createdAt: 1 });
const message = (
  ...[id, role, content, more]: [id: string, role: number, content: string, more?: Partial<TranscriptMessage>]
): TranscriptMessage => ({
  id,
  role,
  turnId: `t-${id}`,
  labels: {},
  parts: [text(content)],
  ...more,
});
const PINNED = { labels: { pin: 'true' } };
const last = message('u9', 1, 'and now?', { turnId: 'now' });

const plan = (transcript: readonly TranscriptMessage[], compactNow = false): Promise<PromptPlan> =>
  createPromptAssembler({ models, readObject: async () => undefined }).plan({
    agent: {
      namespace: 'demo',
      name: 'helper',
      labels: {},
      spec: { systemPrompt: '', postHistoryPrompt: '' } as never,
    },
    namespaceLabels: {},
    session: { id: 's', labels: {} },
    sender: '',
    channel: '',
    target: { provider: 'demo', model: 'small' },
    nowMicros: 1,
    transcript,
    turnId: 'now',
    tools: [],
    tokenCorrection: 1,
    windowFactor: 1,
    skipCompaction: false,
    compactNow,
  });

const compacted = async (transcript: readonly TranscriptMessage[], compactNow = false) => {
  const result = await plan(transcript, compactNow);
  if (result.kind !== 'compact') throw new Error(`the plan is ${result.kind}`);
  const sent = result.messages.flatMap(({ content }) => content.map((block) => ('text' in block ? block.text : '')));
  return { ...result, sent: sent.join('\n') };
};

/** The transcript after a compaction that wrote `keeps`, with more messages behind it. */
const afterwards = (keeps: CompactionKeeps, ...more: readonly TranscriptMessage[]): readonly TranscriptMessage[] => {
  const part: Part = {
    id: '000000',
    type: PART.COMPACTION,
    content: 'the summary',
    payload: { through_message_id: 'gone', keeps },
    createdAt: 1,
  };
  return [message('a0', 2, 'yes', { parts: [part, text('yes')] }), ...more];
};

describe('a compaction', () => {
  it('keeps system messages and pinned ones out of the summary, through any number of compactions', async () => {
    const first = await compacted([
      message('s1', 3, 'never say maybe'),
      message('u1', 1, filler(700)),
      message('u2', 1, 'my name is Ada', PINNED),
      message('a2', 2, filler(800)),
      last,
    ]);
    expect(first.summarised).toEqual(['u1', 'a2']);
    expect(first.keeps.kept).toEqual([
      { messageId: 's1', isSystem: true, text: 'never say maybe' },
      { messageId: 'u2', isSystem: false, text: 'my name is Ada' },
    ]);
    expect(first.sent).not.toMatch(/Ada|maybe/);
    const second = await compacted(
      afterwards(first.keeps, message('u3', 1, filler(1500)), message('u4', 1, 'I live in Ulm', PINNED), last),
    );
    expect(second.keeps.kept.map((kept) => kept.text)).toEqual(['never say maybe', 'my name is Ada', 'I live in Ulm']);
    expect(second.sent).toContain('the summary');
    expect(second.sent).not.toMatch(/Ada|maybe|Ulm/);
    const shown = await plan(afterwards(second.keeps, last));
    expect(shown.kind === 'call' && shown.messages.map(({ role, content }) => [role, content.at(-1)])).toEqual([
      ['user', { type: 'text', text: 'Summary of the conversation so far:\nthe summary', isAdded: true }],
      ['system', { type: 'text', text: 'never say maybe' }],
      ['user', { type: 'text', text: 'my name is Ada' }],
      ['user', { type: 'text', text: 'I live in Ulm' }],
      ['assistant', { type: 'text', text: 'yes' }],
      ['user', { type: 'text', text: 'and now?' }],
    ]);
  });

  it('lets the oldest pinned messages become summary where they are too many', async () => {
    const pinned = (id: string, count: number) => message(id, 1, `${id} ${filler(count)}`, PINNED);
    const first = await compacted([message('u1', 1, filler(1000)), pinned('p1', 200), pinned('p2', 200), last]);
    expect(first.keeps.kept.map((kept) => kept.messageId)).toEqual(['p2']);
    expect(first.summarised).toEqual(['u1', 'p1']);
    expect(first.sent).toContain('p1');
    const second = await compacted(afterwards(first.keeps, message('u3', 1, filler(1200)), pinned('p3', 300), last));
    expect(second.keeps.kept.map((kept) => kept.messageId)).toEqual(['p3']);
    expect(second.summarised).toEqual(['p2', 'a0', 'u3']);
    expect(second.sent).toContain('Pinned message, word for word:\np2');
  });

  it('carries files and stored outputs along as lines', async () => {
    const object = { key: 'k', mediaType: 'text/csv', sizeBytes: 1, sha256: '', filename: 'sales.csv' };
    const file: Part = { id: '000001', type: PART.FILE, createdAt: 1, object };
    const result: Part = {
      id: '000002',
      type: PART.TOOL_RESULT,
      name: 'search',
      createdAt: 1,
      object,
      payload: { tool_call_id: 'c1' },
    };
    const { keeps } = await compacted([
      message('u1', 1, '', {
        parts: [text(filler(1500)), file, file, { ...file, object: { ...object, filename: '' } }],
      }),
      message('a1', 2, '', { parts: [{ ...result, payload: {} }, result] }),
      last,
    ]);
    expect(keeps.references).toEqual([
      'file sales.csv (text/csv)',
      'file without a name (text/csv)',
      'output of search: read_tool_output("c1", 0)',
    ]);
    const shown = await plan(afterwards(keeps, last));
    expect(JSON.stringify(shown)).toContain('Files and stored outputs so far:\\n- file sales.csv (text/csv)\\n- ');
  });

  it('that was asked for covers a short conversation, and none where nothing came before', async () => {
    const short = [message('u1', 1, 'hello'), message('a1', 2, 'hi'), last];
    expect((await plan(short)).kind).toBe('call');
    expect(await compacted(short, true)).toMatchObject({ throughMessageId: 'a1', summarised: ['u1', 'a1'] });
    expect((await plan([last], true)).kind).toBe('call');
    expect((await plan([message('u1', 1, 'hello', PINNED), last], true)).kind).toBe('call');
  });
});
