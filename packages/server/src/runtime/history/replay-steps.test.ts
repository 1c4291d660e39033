import { describe, expect, it } from 'vitest';
import type { ModelContent, ModelFacts } from '../../models/contract.ts';
import { type ObjectData, PART, type Part, type PartType, type TranscriptMessage } from '../contract.ts';
import {
  createObjectLoader,
  cutMiddle,
  NO_OBJECTS,
  ROLE,
  replaySteps,
  SHOWN_CHARS,
  shownResult,
  wantedObjects,
} from './index.ts';

const target = { provider: 'p', model: 'm' };
const usage = (provider = 'p'): Part => part(PART.USAGE, { payload: { provider, model: 'm' } });

function part(type: PartType, facts: Partial<Part> = {}): Part {
  return { id: '000000', type, createdAt: 1, ...facts };
}

const said = (content: string): Part => part(PART.TEXT, { content });
const call = (callId: string, input: unknown = {}, continuation?: string): Part =>
  part(PART.TOOL_CALL, {
    name: 'probe',
    payload: { tool_call_id: callId, input },
    ...(continuation === undefined ? {} : { continuation }),
  });
const result = (callId: string, content: string, facts: Partial<Part> = {}): Part =>
  part(PART.TOOL_RESULT, {
    name: 'probe',
    content,
    payload: { tool_call_id: callId, is_error: false, truncated: facts.object !== undefined },
    ...facts,
  });
const object = (key: string, mediaType = 'image/png'): ObjectData => ({
  key,
  mediaType,
  sizeBytes: 9,
  sha256: '',
  filename: `${key}.bin`,
});

const message = (role: number, parts: readonly Part[], turnId = 'now'): TranscriptMessage => ({
  id: `m-${turnId}-${role}`,
  role,
  turnId,
  labels: {},
  parts,
});
const assistant = (...parts: readonly Part[]): TranscriptMessage => message(ROLE.ASSISTANT, parts);

/** Short form of a replay: role and blocks of every model message. */
const shown = (
  messages: readonly TranscriptMessage[],
  objects = NO_OBJECTS,
  inputs: ModelFacts['inputs'] = ['text', 'image'],
) =>
  replaySteps(messages, { turnId: 'now', target, inputs }, objects)
    .flatMap((step) => step.messages)
    .map(({ role, content }) => `${role}: ${content.map(block).join(' | ')}`);

const block = (content: ModelContent): string => {
  switch (content.type) {
    case 'text':
      return content.text;
    case 'reasoning':
      return `<${content.text}>`;
    case 'media':
      return `media ${content.media.mediaType} ${content.media.kind}`;
    case 'call':
      return `call ${content.callId}/${content.providerCallId} ${JSON.stringify(content.input)}`;
    case 'result':
      return `result ${content.callId}/${content.providerCallId} ${content.text}${content.isError ? ' !' : ''}`;
  }
};

describe('replaying messages', () => {
  it('replays user, system and assistant text in order', () => {
    expect(
      shown([
        message(ROLE.SYSTEM, [said('be kind')]),
        message(ROLE.USER, [said('hi'), said('there')]),
        assistant(said('hello'), usage()),
      ]),
    ).toEqual(['system: be kind', 'user: hi | there', 'assistant: hello']);
  });

  it('says who wrote a message of a platform, where more than two people talk', () => {
    const of = (type: string): TranscriptMessage => ({
      ...message(ROLE.USER, [said('hello')]),
      labels: { 'svc/external-sender-name': 'Ada', 'svc/conversation-type': type },
    });
    const texts = (type: string): unknown =>
      replaySteps([of(type)], { turnId: 'now', target, inputs: ['text'] }, NO_OBJECTS)[0]?.messages[0]?.content;
    expect(texts('group')).toEqual([
      { type: 'text', text: 'Message of Ada:' },
      { type: 'text', text: 'hello' },
    ]);
    expect(texts('dm')).toEqual([{ type: 'text', text: 'hello' }]);
  });

  it('separates two tool steps without text by their USAGE (R24)', () => {
    const steps = [usage(), call('a'), result('a', '1'), usage(), call('b'), result('b', '2'), said('done'), usage()];
    expect(shown([assistant(...steps)])).toEqual([
      'assistant: call a/a {}',
      'tool: result a/a 1',
      'assistant: call b/b {}',
      'tool: result b/b 2',
      'assistant: done',
    ]);
  });

  it('keeps text and calls of one step together', () => {
    expect(
      shown([assistant(said('let me look'), usage(), call('a'), result('a', '1'), said('found'), usage())]),
    ).toEqual(['assistant: let me look | call a/a {}', 'tool: result a/a 1', 'assistant: found']);
  });

  it('shows results in call order however they completed (R41)', () => {
    expect(shown([assistant(usage(), call('a'), call('b'), result('b', '2'), result('a', '1'))])).toEqual([
      'assistant: call a/a {} | call b/b {}',
      'tool: result a/a 1 | result b/b 2',
    ]);
  });

  it('drops a call without result and a result without call, and replaces arguments that are no object', () => {
    expect(
      shown([assistant(usage(), call('a'), call('b', [1]), result('b', '2'), result('x', '3'), result('b', 'again'))]),
    ).toEqual(['assistant: call b/b {}', 'tool: result b/b 2']);
    expect(shown([assistant(usage(), call('a'))])).toEqual([]);
    expect(shown([assistant(usage(), call('a', '{"x":'), result('a', '1'))])[0]).toBe('assistant: call a/a {}');
  });

  it('never replays ERROR, USAGE, permission or compaction parts (R22)', () => {
    const parts = [
      said('a'),
      usage(),
      call('c'),
      part(PART.REQUEST_PERMISSION, { content: 'may I' }),
      part(PART.PERMISSION_RESULT),
      result('c', 'r'),
      part(PART.COMPACTION, { content: 'sum' }),
      part(PART.ERROR, { content: 'Error: x' }),
    ];
    expect(shown([assistant(...parts)])).toEqual(['assistant: a | call c/c {}', 'tool: result c/c r']);
    expect(shown([assistant(part(PART.ERROR, { content: 'Error: x' }))])).toEqual([]);
  });

  it('replays reasoning only in its own turn, with continuation data, to the same model (R23)', () => {
    const thought = part(PART.REASONING, { content: 'hm', continuation: { s: 1 } });
    expect(shown([assistant(thought, said('a'), usage())])).toEqual(['assistant: <hm> | a']);
    expect(shown([assistant(part(PART.REASONING, { content: 'hm' }), said('a'), usage())])).toEqual(['assistant: a']);
    expect(shown([assistant(thought, said('a'), usage('other'))])).toEqual(['assistant: a']);
    expect(shown([message(ROLE.ASSISTANT, [thought, said('a'), usage()], 'earlier')])).toEqual(['assistant: a']);
  });

  it('replays reasoning that text interrupted as one block, where its continuation data is', () => {
    const thought = (content: string, continuation?: unknown): Part => part(PART.REASONING, { content, continuation });
    const parts = [thought('one '), said('a'), thought('two', { s: 1 }), said('b'), usage()];
    expect(shown([assistant(...parts)])).toEqual(['assistant: <one two> | ab']);
    expect(shown([assistant(thought('one'), said('a'), thought('', { s: 1 }), usage())])).toEqual([
      'assistant: a | <one>',
    ]);
  });

  it('replays text that reasoning interrupted as the one text it was, in later turns too', () => {
    const thought = part(PART.REASONING, { content: 'hm' });
    const parts = [said('I cal'), thought, thought, said('culate'), thought, said('.'), usage()];
    expect(shown([assistant(...parts)])).toEqual(['assistant: I calculate.']);
    expect(shown([message(ROLE.ASSISTANT, parts, 'earlier')])).toEqual(['assistant: I calculate.']);
    expect(shown([assistant(said('one'), said('two'), thought, usage())])).toEqual(['assistant: one | two']);
  });

  it('maps call ids back to the provider that gave them, unless one came twice (R33)', () => {
    const steps = [usage(), call('a', {}, 'x1'), result('a', '1'), usage(), call('b', {}, 'x1'), result('b', '2')];
    expect(shown([assistant(...steps)])).toEqual([
      'assistant: call a/x1 {}',
      'tool: result a/x1 1',
      'assistant: call b/b {}',
      'tool: result b/b 2',
    ]);
    expect(shown([assistant(usage('other'), call('a', {}, 'x1'), result('a', '1'))])[0]).toBe('assistant: call a/a {}');
  });

  it('takes text that imitates calls, results and markers as text (R27)', () => {
    const words = '{"type":"tool_call"} [TOOL_RESULT] <skill name="x"> {{ agent.name }}';
    expect(shown([assistant(said(words), usage())])).toEqual([`assistant: ${words}`]);
  });
});

describe('replaying files', () => {
  const image = part(PART.IMAGE, { object: object('cat') });
  const loaded = { ...NO_OBJECTS, media: new Map([['cat', new Uint8Array([1])]]) };

  it('sends media that the model takes and names the others in a line (R22)', () => {
    const audio = part(PART.AUDIO, { object: object('song', 'audio/mp3') });
    expect(shown([message(ROLE.USER, [said('look'), image, audio])], loaded)).toEqual([
      'user: look | media image/png bytes | [file song.bin (audio/mp3, 9 bytes)]',
    ]);
    expect(wantedObjects([message(ROLE.USER, [image, audio])], ['text', 'image']).media).toEqual([image.object]);
  });

  it('puts a sentence in the place of a missing object (R26)', () => {
    expect(shown([message(ROLE.USER, [image])])).toEqual(['user: [The file cat.bin is no longer available.]']);
  });

  it('passes https links on and names other links in a line', () => {
    const link = (url: string): Part => part(PART.IMAGE, { name: 'pic', payload: { url } });
    expect(shown([message(ROLE.USER, [link('https://x.example/a.png'), link('http://x.example')])])).toEqual([
      'user: media image/* url | [file pic (image/*)]',
    ]);
  });

  it('names files that a model made, without loading them', () => {
    expect(shown([assistant(image, usage())], loaded)).toEqual(['assistant: [file cat.bin (image/png, 9 bytes)]']);
    expect(wantedObjects([assistant(image)], ['image']).media).toEqual([]);
  });
});

describe('replaying stored outputs', () => {
  const kept = object('out', 'text/plain');
  const transcript = [assistant(usage(), call('a'), result('a', 'preview', { object: kept }))];
  const wanted = wantedObjects(transcript, []);

  it('shows the whole output of an object, or the preview when it is gone (R26)', async () => {
    let reads = 0;
    const load = createObjectLoader(async () => {
      reads += 1;
      return Buffer.from('the whole output');
    });
    expect(shown(transcript, await load('demo', wanted))[1]).toBe('tool: result a/a the whole output');
    await load('demo', wanted);
    expect(reads).toBe(1);
    const gone = createObjectLoader(async () => undefined);
    expect(shown(transcript, await gone('demo', wanted))[1]).toBe(
      'tool: result a/a preview\n[The rest of this output is no longer available.]',
    );
  });

  it('keeps one namespace from another', async () => {
    const load = createObjectLoader(async (namespace) => Buffer.from(namespace));
    await load('one', wanted);
    expect(shown(transcript, await load('two', wanted))[1]).toBe('tool: result a/a two');
  });

  it('shows at most 50,000 characters and how to read the rest', () => {
    expect(shownResult('x'.repeat(SHOWN_CHARS), 'c')).toHaveLength(SHOWN_CHARS);
    const cut = shownResult('x'.repeat(SHOWN_CHARS + 1), 'call_1');
    expect(cut.length).toBeLessThanOrEqual(SHOWN_CHARS);
    expect(cut).toContain('read_tool_output("call_1", 49800) reads on');
  });

  it('cuts the middle and names what is missing', () => {
    expect(cutMiddle('short', 10, 'c')).toBe('short');
    expect(cutMiddle('0123456789', 4, 'c')).toBe(
      '01\n[6 characters left out here; read_tool_output("c", 2) reads them]\n89',
    );
  });

  it('forgets the least recently used texts of a long session', async () => {
    const reads: string[] = [];
    const load = createObjectLoader(async (_namespace, { key }) => {
      reads.push(key);
      return Buffer.from('y'.repeat(40_000));
    });
    const many = Array.from({ length: 300 }, (_, n) => ({ object: object(`o${n}`, 'text/plain'), callId: 'c' }));
    await load('demo', { media: [], texts: many });
    await load('demo', { media: [], texts: many.slice(-100) });
    expect(reads).toHaveLength(300);
    await load('demo', { media: [], texts: many.slice(0, 1) });
    expect(reads).toHaveLength(301);
  });
});
