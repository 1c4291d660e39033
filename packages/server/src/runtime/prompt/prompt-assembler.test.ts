import { describe, expect, it } from 'vitest';
import type { ModelContent, ModelFacts, ModelMessage } from '../../models/contract.ts';
import {
  type ObjectData,
  PART,
  type Part,
  type PartType,
  type PromptPlan,
  type PromptRequest,
  type TranscriptMessage,
} from '../contract.ts';
import { createPromptAssembler, createPromptInspector } from './index.ts';

const SMALL: ModelFacts = {
  window: 2000,
  maxOutput: 200,
  inputs: ['text', 'image'],
  tools: true,
  temperature: true,
  thinking: 'none',
  efforts: [],
  known: true,
};
const words = (text: string): number => text.match(/\S+/g)?.length ?? 0;

let counted = 0;
const models = (facts: Partial<ModelFacts> = {}) => ({
  facts: () => ({ ...SMALL, ...facts }),
  countTokens: (_target: unknown, text: string) => {
    counted += 1;
    return words(text);
  },
  tokenBound: (_target: unknown, text: string) => words(text),
});

const part = (type: PartType, facts: Partial<Part> = {}): Part => ({ id: '000000', type, createdAt: 1, ...facts });
const said = (content: string): Part => part(PART.TEXT, { content });
const usage = part(PART.USAGE, { payload: { provider: 'demo', model: 'small' } });
const step = (callId: string, output: string): readonly Part[] => [
  usage,
  part(PART.TOOL_CALL, { name: 'probe', payload: { tool_call_id: callId, input: {} } }),
  part(PART.TOOL_RESULT, {
    name: 'probe',
    content: output,
    payload: { tool_call_id: callId, is_error: false, truncated: false },
  }),
];
const filler = (count: number, word = 'w'): string => Array.from({ length: count }, () => word).join(' ');

const user = (id: string, content: string, turnId = 'now'): TranscriptMessage => ({
  id,
  role: 1,
  turnId,
  labels: {},
  parts: [said(content)],
});
const assistant = (id: string, parts: readonly Part[], turnId = 'now'): TranscriptMessage => ({
  id,
  role: 2,
  turnId,
  labels: {},
  parts,
});
const exchange = (n: number, size = 100): readonly TranscriptMessage[] => [
  user(`u${n}`, `question${n} ${filler(size)}`, `t${n}`),
  assistant(`a${n}`, [said(`answer${n} ${filler(size)}`), usage], `t${n}`),
];

const request = (
  transcript: readonly TranscriptMessage[],
  change: Partial<PromptRequest> = {},
  spec: Record<string, unknown> = {},
): PromptRequest => ({
  agent: {
    namespace: 'demo',
    name: 'helper',
    labels: {},
    spec: {
      systemPrompt: 'You are {{ agent.name }}.',
      postHistoryPrompt: '',
      ...spec,
    } as PromptRequest['agent']['spec'],
  },
  namespaceLabels: {},
  session: { id: 's', labels: {} },
  sender: 'anna',
  channel: '',
  target: { provider: 'demo', model: 'small' },
  nowMicros: 1_750_000_000_000_000,
  transcript,
  turnId: 'now',
  tools: [],
  tokenCorrection: 1,
  windowFactor: 1,
  skipCompaction: false,
  ...change,
});

const none = async (): Promise<Uint8Array | undefined> => undefined;
const plan = (
  given: PromptRequest,
  facts: Partial<ModelFacts> = {},
  readObject: (namespace: string, object: ObjectData) => Promise<Uint8Array | undefined> = none,
) => createPromptAssembler({ models: models(facts), readObject }).plan(given);

const blockText = (content: ModelContent): string => {
  if (content.type === 'media') return `media ${content.media.filename}`;
  return content.type === 'call' ? `call ${content.callId}` : content.text;
};
const line = ({ role, content }: ModelMessage): string => `${role}: ${content.map(blockText).join(' | ')}`;
/** Messages of a plan in short form; long filler is shortened. */
const lines = (result: PromptPlan): readonly string[] =>
  result.kind === 'overflow'
    ? ['overflow']
    : result.messages.map((message) => line(message).replace(/\bw(?: w){2,}/g, '…'));
const tokensOf = (result: PromptPlan): number =>
  result.kind === 'overflow'
    ? 0
    : result.messages.reduce(
        (sum, message) => sum + 4 + message.content.reduce((all, content) => all + words(blockText(content)), 0),
        0,
      );

describe('the order of a prompt', () => {
  const skills = {
    catalogue: [
      { name: 'write', description: 'writes\nletters' },
      { name: 'add', description: 'adds numbers' },
    ],
    active: [
      { name: 'write', text: 'Write well.' },
      { name: 'gone', text: undefined },
    ],
  };
  const goals = [{ objective: 'Ship', successCriteria: 'tests pass', progress: 'half' }];
  const transcript = [
    ...exchange(1, 1),
    { id: 'x', role: 3, turnId: '', labels: {}, parts: [said('be brief')] },
    user('u9', 'hi'),
    assistant('a9', step('c1', 'ok')),
  ];

  it('is system prompt with catalogue and goals, skills, transcript, post-history prompt (3, R21)', async () => {
    const tools = [{ name: 'activate_skill', description: 'loads a skill', inputSchema: {} }];
    const given = request(transcript, { skills, goals, tools }, { postHistoryPrompt: 'Answer as {{ agent.name }}!' });
    expect(lines(await plan(given))).toEqual([
      'system: You are helper.\n\nSkills that activate_skill can load:\n- add: adds numbers\n- write: writes letters\n\nActive goals of this conversation:\n- Ship Reached when: tests pass Progress: half',
      'user: <skill name="write">\nWrite well.\n</skill>',
      'user: [The skill gone is no longer available.]',
      'user: question1 w',
      'assistant: answer1 w',
      'system: be brief',
      'user: hi | Answer as helper!',
      'assistant: call c1',
      'tool: ok',
    ]);
  });

  it('names no tool that the call does not offer', async () => {
    const tools = [{ name: 'calculate', description: 'calculates', inputSchema: {} }];
    const [system] = lines(await plan(request(transcript, { skills, goals, tools })));
    expect(system).toBe(
      'system: You are helper.\n\nActive goals of this conversation:\n- Ship Reached when: tests pass Progress: half',
    );
  });

  it('marks everything that no user wrote', async () => {
    const result = await plan(request(transcript, { skills }, { postHistoryPrompt: 'Short!' }));
    const own =
      result.kind === 'call'
        ? result.messages
            .filter((message) => message.role === 'user')
            .map((message) =>
              message.content.filter((content) => content.type === 'text' && content.isAdded !== true).map(blockText),
            )
        : [];
    expect(own).toEqual([[], [], ['question1 w'], ['hi']]);
  });

  it('leaves out what is empty', async () => {
    expect(lines(await plan(request([user('u1', 'hi')], {}, { systemPrompt: '' })))).toEqual(['user: hi']);
    expect(lines(await plan(request([], {}, { postHistoryPrompt: 'x' })))).toEqual(['system: You are helper.']);
  });

  it('sorts tools by name and removes null members of their schemas', async () => {
    const tools = [
      {
        name: 'b',
        description: 'B',
        inputSchema: { type: 'object', title: null, properties: { a: { enum: [null, 1], default: null } } },
      },
      { name: 'a', description: 'A', inputSchema: {} },
    ];
    const result = await plan(request([user('u1', 'hi')], { tools }));
    expect(result.kind === 'call' && result.tools).toEqual([
      { name: 'a', description: 'A', inputSchema: {} },
      { name: 'b', description: 'B', inputSchema: { type: 'object', properties: { a: { enum: [null, 1] } } } },
    ]);
  });

  it('loads images of the agent namespace for models that see', async () => {
    const object = { key: 'k', mediaType: 'image/png', sizeBytes: 1, sha256: '', filename: 'cat.png' };
    const image = { ...user('u1', 'look'), parts: [said('look'), part(PART.IMAGE, { object })] };
    const read = async (namespace: string) => Buffer.from(namespace);
    expect(lines(await plan(request([image]), { window: 100_000 }, read))).toContain('user: look | media cat.png');
    expect(lines(await plan(request([image]), { inputs: ['text'] }, read))).toContain(
      'user: look | [file cat.png (image/png, 1 bytes)]',
    );
  });
});

describe('the budget of demo/small', () => {
  it('counts nothing while a prompt certainly fits', async () => {
    counted = 0;
    const result = await plan(request([...exchange(1), user('u9', 'hi')]));
    expect(result).toMatchObject({ kind: 'call', countedTokens: 0 });
    expect(counted).toBe(0);
  });

  it('cuts long results older than the last two steps in the middle, with a way to read them (row 1)', async () => {
    const long = filler(2400);
    const result = await plan(
      request([user('u1', 'go'), assistant('a1', [...step('c1', long), ...step('c2', 'two'), ...step('c3', 'three')])]),
      { window: 2500 },
    );
    const first = lines(result).find((text) => text.startsWith('tool: …'));
    expect(first).toMatch(/^tool: …\s+\[\d+ characters left out here; read_tool_output\("c1", \d+\) reads them\]\s+…$/);
    expect(lines(result).slice(-1)).toEqual(['tool: three']);
    expect(tokensOf(result)).toBeLessThan(2100);
  });

  it('keeps the results of the last two steps whole and then cannot fit (row 5)', async () => {
    const transcript = [user('u1', 'go'), assistant('a1', [...step('c1', filler(2100)), ...step('c2', 'two')])];
    expect(await plan(request(transcript))).toEqual({ kind: 'overflow' });
  });

  it('turns older images into lines and keeps those of the latest user message', async () => {
    const picture = (key: string): Part =>
      part(PART.IMAGE, { object: { key, mediaType: 'image/png', sizeBytes: 1, sha256: '', filename: `${key}.png` } });
    const transcript = [
      { ...user('u1', 'one', 't1'), parts: [said('one'), picture('old')] },
      assistant('a1', [said('seen'), usage], 't1'),
      assistant('a2', [said('more'), usage], 't1'),
      { ...user('u2', 'two'), parts: [said('two'), picture('new')] },
    ];
    const result = await plan(request(transcript), {}, async () => new Uint8Array([1]));
    expect(lines(result)).toContain('user: one | [file old.png (image/png), left out to save space]');
    expect(lines(result)).toContain('user: two | media new.png');
  });

  it('asks for a compaction above 80 % of the effective window, of all before the latest user message (row 2)', async () => {
    const transcript = [1, 2, 3, 4, 5, 6, 7].flatMap((n) => exchange(n));
    const result = await plan(request([...transcript, user('u9', 'and now?')], {}, { postHistoryPrompt: 'P' }));
    expect(result).toMatchObject({ kind: 'compact', throughMessageId: 'a7', fit: { maxOutputTokens: 200 } });
    const shown = lines(result);
    expect(shown[0]).toBe('system: You are helper.');
    expect(shown[1]).toBe('user: question1 …');
    expect(shown.at(-2)).toBe('assistant: answer7 …');
    expect(shown.at(-1)).toContain('Summarise the conversation above');
    expect(shown.join()).not.toContain('and now?');
    expect(result.kind === 'compact' && result.sourceTokens).toBe(7 * 2 * 105);
  });

  it('compacts nothing at 80 % or below', async () => {
    // effective = 2000 - 200 - 40 = 1760, 80 % of it = 1408
    const system = 4 + 3;
    const exact = request([...exchange(1, 595), user('u9', filler(1408 - system - 1200 - 4))]);
    expect((await plan(exact)).kind).toBe('call');
    const above = request([...exchange(1, 595), user('u9', filler(1408 - system - 1200 - 4 + 1))]);
    expect((await plan(above)).kind).toBe('compact');
  });

  it('shows summary and exact tail after a compaction, and does not compact again (R29)', async () => {
    const summary = part(PART.COMPACTION, { content: 'they said hello', payload: { through_message_id: 'a7' } });
    const transcript = [...exchange(7), user('u9', filler(1500)), assistant('a9', [summary, ...step('c1', 'ok')])];
    const result = await plan(request(transcript));
    expect(lines(result)).toEqual([
      'system: You are helper.',
      'user: Summary of the conversation so far:\nthey said hello',
      'user: …',
      'assistant: call c1',
      'tool: ok',
    ]);
    const reread = await plan(request(transcript.slice(2)));
    expect(lines(reread)).toEqual(lines(result));
  });

  it('compacts summary and new messages together once there is enough of them', async () => {
    const summary = part(PART.COMPACTION, { content: 'they said hello', payload: { through_message_id: 'a0' } });
    const first = assistant('a1', [summary, said(filler(700)), usage], 't1');
    const result = await plan(request([user('u1', filler(700), 't1'), first, user('u9', 'go')]));
    expect(result).toMatchObject({ kind: 'compact', throughMessageId: 'a1' });
    expect(lines(result)[1]).toContain('they said hello');
  });

  it('reads a large summary from its object and falls back to its preview', async () => {
    const object = { key: 'k', mediaType: 'text/plain', sizeBytes: 9, sha256: '', filename: '' };
    const summary = part(PART.COMPACTION, { content: 'preview', object, payload: { through_message_id: 'a1' } });
    const given = request([...exchange(1), user('u9', 'hi'), assistant('a9', [summary])]);
    expect(lines(await plan(given, {}, async () => Buffer.from('whole summary')))[1]).toContain('whole summary');
    expect(lines(await plan(given))[1]).toContain('preview');
  });

  it('keeps a burst of user messages of the turn out of a compaction', async () => {
    const history = [1, 2, 3, 4, 5, 6, 7].flatMap((n) => exchange(n));
    const result = await plan(request([...history, user('u8', 'first'), user('u9', 'second')]));
    expect(result).toMatchObject({ kind: 'compact', throughMessageId: 'a7' });
  });

  it('drops the oldest messages with a marker when it may not compact (row 3)', async () => {
    const transcript = [1, 2, 3, 4, 5, 6, 7, 8, 9].flatMap((n) => exchange(n));
    const result = await plan(request([...transcript, user('u99', 'now?')], { skipCompaction: true }));
    const shown = lines(result);
    expect(shown[1]).toBe('user: [2 earlier messages were left out here.]');
    expect(shown[2]).toBe('user: question2 …');
    expect(shown.at(-1)).toBe('user: now?');
    expect(result.kind === 'call' && result.countedTokens).toBe(tokensOf(result));
    expect(tokensOf(result)).toBeLessThanOrEqual(1760);
  });

  it('drops calls only together with their results and never the steps of the latest user message', async () => {
    const transcript = [
      user('u1', 'a', 't1'),
      assistant('a1', [...step('c1', filler(900)), ...step('c2', filler(900))], 't1'),
      user('u2', 'b'),
      assistant('a2', [...step('c3', filler(300)), ...step('c4', filler(300))]),
    ];
    const shown = lines(await plan(request(transcript, { skipCompaction: true })));
    expect(shown).toEqual([
      'system: You are helper.',
      'user: [2 earlier messages were left out here.]',
      'user: b',
      'assistant: call c3',
      'tool: …',
      'assistant: call c4',
      'tool: …',
    ]);
  });

  it('sends half as much after an overflow answer (row 4)', async () => {
    const transcript = [...[1, 2, 3, 4].flatMap((n) => exchange(n)), user('u9', 'now?')];
    expect((await plan(request(transcript, { skipCompaction: true }))).kind).toBe('call');
    const reduced = await plan(request(transcript, { skipCompaction: true, windowFactor: 0.5 }));
    expect(tokensOf(reduced)).toBeLessThanOrEqual(880);
    expect(lines(reduced).at(-1)).toBe('user: now?');
    const kept = await plan(request([user('u9', filler(1000))], { skipCompaction: true, windowFactor: 0.5 }));
    expect(kept.kind).toBe('call');
  });

  it('corrects its counts by what the model reported, within reason', async () => {
    const transcript = [...[1, 2, 3, 4].flatMap((n) => exchange(n)), user('u9', 'now?')];
    const reduced = await plan(request(transcript, { skipCompaction: true, tokenCorrection: 2 }));
    expect(tokensOf(reduced)).toBeLessThanOrEqual(880);
    expect((await plan(request([user('u9', filler(700))], { tokenCorrection: 1e6 }))).kind).toBe('call');
    expect((await plan(request([user('u9', filler(700))], { tokenCorrection: 0 }))).kind).toBe('call');
  });

  it('fits the source of a compaction to the model', async () => {
    const transcript = [...Array.from({ length: 20 }, (_, n) => exchange(n + 1)).flat(), user('u99', 'now?')];
    const result = await plan(request(transcript));
    expect(result).toMatchObject({ kind: 'compact', throughMessageId: 'a20', sourceTokens: 20 * 210 });
    expect(lines(result)[1]).toMatch(/^user: \[\d+ earlier messages were left out here\.\]$/);
    expect(tokensOf(result)).toBeLessThanOrEqual(1760);
  });

  it('counts tools and images', async () => {
    const tools = [{ name: 'big', description: filler(1500), inputSchema: {} }];
    expect(await plan(request([user('u1', filler(400))], { tools }))).toEqual({ kind: 'overflow' });
    const picture = (key: string): Part =>
      part(PART.IMAGE, { object: { key, mediaType: 'image/png', sizeBytes: 1, sha256: '', filename: '' } });
    const two = { ...user('u1', 'x'), parts: [picture('a'), picture('b')] };
    expect(await plan(request([two]), {}, async () => new Uint8Array([1]))).toEqual({ kind: 'overflow' });
  });

  it('changes no stored message (R28)', async () => {
    const transcript = [
      user('u1', 'go', 't1'),
      assistant('a1', [...step('c1', filler(3000)), ...step('c2', 'x'), ...step('c3', 'y')], 't1'),
      user('u2', 'next'),
    ];
    const before = JSON.stringify(transcript);
    await plan(request(transcript));
    await plan(request(transcript, { skipCompaction: true }));
    expect(JSON.stringify(transcript)).toBe(before);
  });
});

describe('a prompt that was cut to the window', () => {
  it('is assembled once more as it was, and says what was cut and what was left out', async () => {
    const steps = [step('c1', filler(2400)), step('c2', 'two'), step('c3', 'three')].flat();
    const given = request(
      [...exchange(1, 400), ...exchange(2, 100), user('u', 'and now?'), assistant('a', steps)],
      { skipCompaction: true },
      { postHistoryPrompt: 'Be brief.' },
    );
    const sent = await plan(given, { window: 2500 });
    if (sent.kind !== 'call') throw new Error(`the plan is ${sent.kind}`);
    const inspect = createPromptInspector({ models: models(), readObject: none });
    const shown = await inspect(given, { inputs: SMALL.inputs, fitTo: sent.fitTo });
    expect(shown.messages).toEqual(sent.messages);
    expect(shown.dropped).toEqual([
      { messageId: 'u1', reason: 'over_budget', tokens: 405 },
      { messageId: 'a1', reason: 'over_budget', tokens: 405 },
      { messageId: 'u2', reason: 'over_budget', tokens: 105 },
    ]);
    expect(shown.pieces.map(({ source, messageId }) => `${source} ${messageId}`.trim())).toEqual([
      'system_prompt',
      'omission',
      'transcript a2',
      'transcript u',
      'post_history u',
      ...Array.from({ length: 6 }, () => 'transcript a'),
    ]);
    const cut = shown.pieces.filter((piece) => piece.cut !== undefined);
    expect(cut).toMatchObject([{ name: 'probe', cut: { tokens: 2401, reason: 'over_budget' } }]);
    expect(cut[0]?.tokens).toBeLessThan(2401);
    expect(shown.pieces.reduce((sum, { tokens }) => sum + tokens, 4 * sent.messages.length)).toBe(sent.countedTokens);
  });

  it('is assembled once more as its summariser was sent it: with cut results, old summary and what is not kept any more', async () => {
    const summary = part(PART.COMPACTION, {
      content: 'they said hello',
      payload: {
        through_message_id: 'u0',
        keeps: { kept: [{ messageId: 'p0', isSystem: false, text: filler(600) }], references: [] },
      },
    });
    const rule: TranscriptMessage = { ...user('p1', filler(340), ''), labels: { pin: 'true' } };
    const steps = [step('c1', filler(2400)), step('c2', 'two'), step('c3', 'three')].flat();
    const given = request([
      assistant('a0', [summary, said(filler(300)), usage], 't0'),
      rule,
      assistant('a1', steps, 't1'),
      ...exchange(2, 300),
      user('u', 'and now?'),
    ]);
    const found: string[][] = [];
    for (const factor of [1, 0.8]) {
      const sent = await plan({ ...given, windowFactor: factor }, { window: 4500 });
      if (sent.kind !== 'compact') throw new Error(`the plan is ${sent.kind}`);
      const inspect = createPromptInspector({ models: models(), readObject: none });
      const shown = await inspect(given, { inputs: SMALL.inputs, summary: sent.fit });
      expect(shown.messages).toEqual(sent.messages);
      expect(shown.tools).toEqual([]);
      expect(sent.fit.isTrimmed).toBe(true);
      expect(shown.pieces.flatMap(({ cut }) => cut?.tokens ?? [])).toEqual([2401]);
      found.push([...new Set(shown.pieces.map(({ source, messageId }) => `${source} ${messageId}`.trim()))]);
    }
    const end = ['transcript a1', 'transcript u2', 'transcript a2', 'instruction'];
    expect(found).toEqual([
      ['system_prompt', 'summary', 'kept_message p0', 'transcript a0', ...end],
      ['system_prompt', 'summary', 'kept_message p0', 'omission', ...end],
    ]);
  });

  it('has who wrote a message of a platform as a part of that message', async () => {
    const ofGroup = { ...user('u', 'hello'), labels: { 'svc/external-sender-name': 'Ada' } };
    const given = request([ofGroup], {}, { postHistoryPrompt: 'Be brief.' });
    const inspect = createPromptInspector({ models: models(), readObject: none });
    const { pieces } = await inspect(given, { inputs: SMALL.inputs, fitTo: undefined });
    const ofMessage = pieces.filter(({ messageId }) => messageId === 'u');
    expect(ofMessage.map(({ source, content }) => [source, blockText(content)])).toEqual([
      ['transcript', 'Message of Ada:'],
      ['transcript', 'hello'],
      ['post_history', 'Be brief.'],
    ]);
  });
});
