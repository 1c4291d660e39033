import { toJson } from '@bufbuild/protobuf';
import { ModifyAgentRequestSchema, SendMessageRequestSchema } from '@svc/api/gateway';
import { type Agent, AgentSchema } from '@svc/api/resources';
import { describe, expect, test } from 'vitest';
import { atOnce, Fault } from '../../base/index.ts';
import { JsonDecoder, utf8Text } from './json-decoder.ts';

const decoder = new JsonDecoder({ depth: 100, elements: 200_000 });

const faultOf = (run: () => unknown): Fault => {
  try {
    run();
  } catch (error) {
    if (error instanceof Fault) return error;
    throw error;
  }
  throw new Error('nothing was refused');
};

/** Field and description of everything that is wrong, in steps; the same has to be found at once. */
const wrong = (desc: Parameters<JsonDecoder['decode']>[0], json: Record<string, unknown>): readonly string[] => {
  const lines = (fault: Fault) => fault.violations.map(({ field, description }) => `${field}: ${description}`);
  const inSteps = lines(faultOf(() => atOnce(decoder.decoding(desc, json))));
  expect(lines(faultOf(() => decoder.decode(desc, json)))).toEqual(inSteps);
  return inSteps;
};

describe('a request that is read in steps', () => {
  test.each([
    ['a list that is none', { parts: {} }, ['parts: must be an array']],
    [
      'an item that is no object',
      { parts: [{}, 5, null] },
      ['parts[1]: must be an object', 'parts[2]: must be an object'],
    ],
    ['a message that is no object', { parts: [{ object: [] }] }, ['parts[0].object: must be an object']],
    ['a map that is none', { labels: [] }, ['labels: must be an object']],
    ['an unknown field of an item', { parts: [{ nope: 1 }] }, ['parts[0].nope: unknown field']],
    [
      'one field in two spellings',
      { parts: [{ payloadJson: '{}', payload_json: '{}' }] },
      ['parts[0].payload_json: given twice in different spellings'],
    ],
    [
      'a JSON text that is a number',
      { parts: [{ payloadJson: 5 }] },
      ['parts[0].payloadJson: must be a string, an object or an array'],
    ],
    [
      'a JSON text that is too deep',
      { parts: [{ payloadJson: `${'['.repeat(101)}${']'.repeat(101)}` }] },
      ['parts[0].payloadJson: nests deeper than 100'],
    ],
  ])('is refused for %s', (_what, json, lines) => {
    expect(wrong(SendMessageRequestSchema, json)).toEqual(lines);
  });

  test('names the first fifty faults, in a list, in a map and among its members', () => {
    const fifty = Array.from({ length: 50 }, (_, index) => index);
    const many = Array.from({ length: 60 }, (_, index) => index);
    expect(wrong(SendMessageRequestSchema, { parts: many, message: 5 })).toEqual(
      fifty.map((index) => `parts[${index}]: must be an object`),
    );
    const labels = Object.fromEntries(many.map((index) => [`k${index}`, {}]));
    expect(wrong(SendMessageRequestSchema, { labels, message: 5 })).toEqual(
      fifty.map((index) => `labels["k${index}"]: must be a string`),
    );
    const nope = Object.fromEntries(many.map((index) => [`nope${index}`, 1]));
    expect(wrong(SendMessageRequestSchema, nope)).toEqual(fifty.map((index) => `nope${index}: unknown field`));
  });

  test('leaves unknown fields out where the caller says so', () => {
    const read = decoder.decoding(
      SendMessageRequestSchema,
      { nope: 1, parts: [{ nope: 1, content: 'a' }] },
      { ignoresUnknown: true },
    );
    expect(atOnce(read)).toMatchObject({ parts: [{ content: 'a' }] });
  });

  test('is read in steps of five hundred messages', () => {
    const parts = Array.from({ length: 1_000 }, (_, index) => ({ content: String(index) }));
    const steps = decoder.decoding(SendMessageRequestSchema, { parts });
    let pauses = 0;
    let step = steps.next();
    for (; step.done !== true; step = steps.next()) pauses += 1;
    expect(pauses).toBe(2);
    expect(step.value).toMatchObject({ parts });
  });

  test('is parsed in steps to the same object, an empty text to an empty one', () => {
    expect(atOnce(decoder.parsing('{"a":[1]}'))).toEqual({ a: [1] });
    expect([atOnce(decoder.parsing('')), decoder.parse('')]).toEqual([{}, {}]);
    expect(faultOf(() => atOnce(decoder.parsing('[1]'))).message).toBe('must be a JSON object');
  });
});

describe('a field mask', () => {
  const paths = (updateMask: unknown) => decoder.decode(ModifyAgentRequestSchema, { updateMask });

  test.each([
    ['a text', ' spec.systemPrompt ,, labels'],
    ['a list', ['spec.systemPrompt', 'labels']],
    ['a message', { paths: ['spec.system_prompt', 'labels'] }],
  ])('may be %s', (_what, mask) => {
    expect(paths(mask)).toMatchObject({ updateMask: { paths: ['spec.system_prompt', 'labels'] } });
  });

  test.each([[5], [[5]], [{}], [{ paths: 5 }]])('is refused as %j', (mask) => {
    expect(wrong(ModifyAgentRequestSchema, { updateMask: mask })).toEqual([
      'updateMask: must be a comma-joined string of paths',
    ]);
  });
});

describe('values of the well-known types', () => {
  test('are read as the types say, and refused by their name', () => {
    const capabilities = { tasks: ['*'], code: [{ action: 'run' }] };
    const read = decoder.decode(AgentSchema, { spec: { capabilities } });
    expect(toJson(AgentSchema, read as Agent)).toMatchObject({ spec: { capabilities } });
    expect(wrong(AgentSchema, { spec: { capabilities: { tasks: 5 } } })).toEqual([
      'spec.capabilities["tasks"]: must be a ListValue in JSON',
    ]);
  });
});

describe('a body', () => {
  test('that is broken is refused with the place, unless finding it would cost too much', () => {
    expect(faultOf(() => decoder.parse('{\n "a": x}')).message).toBe('not valid JSON at line 2, column 7');
    const long = `{"a":"${'b'.repeat(524_288)}"`;
    expect(faultOf(() => decoder.parse(long)).message).toBe('not valid JSON');
  });

  test('has to be UTF-8', () => {
    expect(utf8Text(new Uint8Array([0x7b, 0x7d]))).toBe('{}');
    expect(faultOf(() => utf8Text(new Uint8Array([0xff]))).message).toBe('body is not valid UTF-8');
  });
});
