import {
  create,
  type DescMessage,
  equals,
  fromBinary,
  fromJson,
  fromJsonString,
  type Message,
  toBinary,
  toJson,
} from '@bufbuild/protobuf';
import { FieldMaskSchema } from '@bufbuild/protobuf/wkt';
import { SessionMessageSchema, TurnSchema } from '@svc/api/data';
import { ModifyAgentRequestSchema, SendMessageRequestSchema, WhenBusy } from '@svc/api/gateway';
import { methods } from '@svc/api/methods';
import { AgentSchema, McpServerBindingSchema, ModelSchema } from '@svc/api/resources';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Fault } from '../../base/index.ts';
import { randomMessage } from '../testing/random-message.ts';
import { Codec } from './codec.ts';

const codec = new Codec(100);
const types = [
  ...new Map(methods.flatMap(({ input, output }) => [input, output]).map((desc) => [desc.typeName, desc])).values(),
];

const encode = (desc: DescMessage, message: object): string => codec.json.encoderOf(desc)(message);
const decode = (desc: DescMessage, json: unknown): Message => codec.jsonDecoder.decodeText(desc, JSON.stringify(json));

/** As a trip through binary leaves it: floats in 32 bits, no undefined members. */
const settled = (desc: DescMessage, message: Message): Message => fromBinary(desc, toBinary(desc, message));

const refusal = (run: () => unknown): Fault => {
  try {
    run();
  } catch (error) {
    if (error instanceof Fault) return error;
    throw error;
  }
  throw new Error('nothing was refused');
};

describe('every request and response type', () => {
  test('reads and writes binary like the oracle', () => {
    for (const desc of types) {
      fc.assert(
        fc.property(randomMessage(desc), (message) => {
          const bytes = codec.binary.encode(desc, message);
          expect(equals(desc, fromBinary(desc, bytes), settled(desc, message))).toBe(true);
          expect(equals(desc, codec.fromBinary(desc, bytes), settled(desc, message))).toBe(true);
        }),
        { numRuns: 15 },
      );
    }
  });

  test('writes JSON that the oracle reads as the same message, with every field without presence', () => {
    for (const desc of types) {
      fc.assert(
        fc.property(randomMessage(desc), (given) => {
          const message = settled(desc, given);
          const text = encode(desc, message);
          expect(equals(desc, settled(desc, fromJsonString(desc, text)), message)).toBe(true);
          const oracle = toJson(desc, message, { alwaysEmitImplicit: true }) as object;
          expect(shapeOf(JSON.parse(text))).toEqual(shapeOf(oracle));
        }),
        { numRuns: 15 },
      );
    }
  });

  test('reads what the oracle writes, in camelCase and by proto names', () => {
    for (const desc of types) {
      fc.assert(
        fc.property(randomMessage(desc), fc.boolean(), (given, useProtoFieldName) => {
          const message = settled(desc, given);
          const json = toJson(desc, message, { useProtoFieldName });
          expect(equals(desc, decode(desc, json), message)).toBe(true);
        }),
        { numRuns: 15 },
      );
    }
  });
});

/** Names and kinds of members, numbers aside: floats print shorter here than at the oracle. */
const shapeOf = (json: unknown): unknown => {
  if (Array.isArray(json)) return json.map(shapeOf);
  if (typeof json === 'object' && json !== null)
    return Object.fromEntries(Object.entries(json).map(([key, value]) => [key, shapeOf(value)]));
  return typeof json === 'number' ? 'number' : json;
};

describe('JSON output', () => {
  test('prints a float by its shortest decimal', () => {
    const text = encode(ModelSchema, create(ModelSchema, { temperature: Math.fround(0.7) }));
    expect(text).toBe('{"provider":"","name":"","temperature":0.7}');
  });

  test('prints an unknown enum number as a number and unset presence not at all', () => {
    expect(JSON.parse(encode(TurnSchema, create(TurnSchema, { state: 99 as never })))).toMatchObject({
      state: 99,
      attempt: 0,
      createdAt: '0',
    });
    expect(encode(TurnSchema, create(TurnSchema))).not.toContain('startedAt');
  });

  test('accepts initialisers as well as messages', () => {
    const init = { metadata: { name: 'x' } };
    expect(encode(AgentSchema, init)).toBe(encode(AgentSchema, create(AgentSchema, init)));
    expect(codec.binary.encode(AgentSchema, init)).toEqual(
      Buffer.from(toBinary(AgentSchema, create(AgentSchema, init))),
    );
  });

  test('keeps the text of a frozen message and follows changes of others', () => {
    const open = create(AgentSchema, { metadata: { name: 'one' } });
    encode(AgentSchema, open);
    if (open.metadata !== undefined) open.metadata.name = 'two';
    expect(encode(AgentSchema, open)).toContain('"two"');
    Object.freeze(open);
    const text = encode(AgentSchema, open);
    const bytes = codec.binary.encode(AgentSchema, open);
    if (open.metadata !== undefined) open.metadata.name = 'three';
    expect(encode(AgentSchema, open)).toBe(text);
    expect(codec.binary.encode(AgentSchema, open)).toEqual(bytes);
  });
});

describe('JSON input', () => {
  test.each([
    ['by full name', 'WHEN_BUSY_STEER'],
    ['without the prefix', 'STEER'],
    ['in lower case', 'steer'],
    ['by number', 2],
    ['by number as text', '2'],
  ])('reads an enum %s', (_, whenBusy) => {
    expect(decode(SendMessageRequestSchema, { whenBusy })).toMatchObject({ whenBusy: WhenBusy.STEER });
  });

  test('finds the prefix of an enum that is not named after its type', () => {
    expect(decode(SessionMessageSchema, { role: 'assistant', parts: [{ partType: 'tool-call' }] })).toMatchObject({
      role: 2,
      parts: [{ partType: 3 }],
    });
  });

  test('reads numbers as text, base64url, null as absent, and a JSON text as an object', () => {
    expect(decode(SendMessageRequestSchema, { waitSeconds: '30', message: null })).toMatchObject({
      waitSeconds: 30,
      message: '',
    });
    const part = { payload_json: { tool_call_id: 'x' }, createdAt: 5, object: { size_bytes: '9007199254740993' } };
    expect(decode(SessionMessageSchema, { parts: [part] })).toMatchObject({
      parts: [{ payloadJson: '{"tool_call_id":"x"}', createdAt: 5n, object: { sizeBytes: 9007199254740993n } }],
    });
  });

  test('reads a field mask as one text and other names of server_ref', () => {
    expect(decode(ModifyAgentRequestSchema, { updateMask: 'spec.systemPrompt,labels' })).toMatchObject({
      updateMask: create(FieldMaskSchema, { paths: ['spec.system_prompt', 'labels'] }),
    });
    expect(decode(McpServerBindingSchema, { spec: { mcpServer: 'x' } })).toMatchObject({ spec: { serverRef: 'x' } });
  });

  test.each([
    [{ nope: 1 }, 'FIELD_UNKNOWN', ['nope']],
    [
      { parts: [{}, { nope: 1, content: 5 }], extra: null },
      'FIELD_UNKNOWN',
      ['parts[1].nope', 'parts[1].content', 'extra'],
    ],
    [{ sessionId: 'a', session_id: 'b' }, 'FIELD_INVALID', ['session_id']],
    [{ message: 5 }, 'FIELD_INVALID', ['message']],
    [{ waitSeconds: -1 }, 'FIELD_INVALID', ['waitSeconds']],
    [{ waitSeconds: 1.5 }, 'FIELD_INVALID', ['waitSeconds']],
    [{ whenBusy: 'SOMETIMES' }, 'FIELD_INVALID', ['whenBusy']],
    [{ labels: { a: 1 } }, 'FIELD_INVALID', ['labels["a"]']],
    [{ parts: {} }, 'FIELD_INVALID', ['parts']],
    [{ parts: [{ createdAt: 2 ** 53 }] }, 'FIELD_INVALID', ['parts[0].createdAt']],
    [{ parts: [{ createdAt: '9223372036854775808' }] }, 'FIELD_INVALID', ['parts[0].createdAt']],
    [{ parts: [{ payloadJson: 5 }] }, 'FIELD_INVALID', ['parts[0].payloadJson']],
    [{ message: 'half \ud83d' }, 'FIELD_INVALID', ['message']],
    [{ labels: { a: '\udc00' } }, 'FIELD_INVALID', ['labels["a"]']],
    [{ labels: { '\ud83d': 'a' } }, 'FIELD_INVALID', ['labels["\\ud83d"]']],
    [{ parts: [{ payloadJson: '{"a":"\ud83d"}' }] }, 'FIELD_INVALID', ['parts[0].payloadJson']],
  ])('refuses %j with %s, naming the field', (json, reason, fields) => {
    const fault = refusal(() => decode(SendMessageRequestSchema, json));
    expect(fault).toMatchObject({ code: 'INVALID_ARGUMENT', reason });
    expect(fault.violations.map((violation) => violation.field)).toEqual(fields);
  });

  const partOf = (createdAt: string) => ({ createdAt });

  test('refuses an integer of millions of digits without reading them all', () => {
    const fault = refusal(() =>
      decode(SendMessageRequestSchema, { parts: ['1'.repeat(21), `-${'9'.repeat(8_000_000)}`].map(partOf) }),
    );
    const description = 'must be between -9223372036854775808 and 9223372036854775807';
    expect(fault.violations).toMatchObject(
      [0, 1].map((index) => ({ field: `parts[${index}].createdAt`, description })),
    );
  });

  test.each(['[]', '5', '"x"', 'null', '{', '{"a":1,}', `{"x":${'['.repeat(101)}${']'.repeat(101)}}`])(
    'refuses %s as no JSON object',
    (text) => {
      expect(refusal(() => codec.jsonDecoder.parse(text))).toMatchObject({
        code: 'INVALID_ARGUMENT',
        reason: 'JSON_INVALID',
      });
    },
  );

  test('survives any text and keeps a key named __proto__', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        try {
          codec.jsonDecoder.decodeText(SendMessageRequestSchema, text);
        } catch (error) {
          expect(error).toBeInstanceOf(Fault);
        }
      }),
    );
    const message = codec.jsonDecoder.decodeText(
      SendMessageRequestSchema,
      '{"labels":{"__proto__":"x"}}',
    ) as unknown as { labels: object };
    expect(Object.keys(message.labels)).toEqual(['__proto__']);
    expect(Object.getPrototypeOf(message.labels)).toBe(Object.prototype);
  });

  test('refuses bytes that are no UTF-8', () => {
    const bytes = Buffer.from('{"message":"\xff"}', 'latin1');
    expect(refusal(() => codec.jsonDecoder.decodeBytes(SendMessageRequestSchema, bytes))).toMatchObject({
      reason: 'JSON_INVALID',
    });
  });

  test('refuses malformed binary', () => {
    expect(refusal(() => codec.fromBinary(SendMessageRequestSchema, new Uint8Array([0x0a, 0xff])))).toMatchObject({
      code: 'INVALID_ARGUMENT',
    });
  });

  test('reads an oneof once only', () => {
    const spec = { agent: {}, schedule: {} };
    const resource = methods.find((method) => method.name === 'ApplyResource')?.input as DescMessage;
    expect(refusal(() => decode(resource, { manifest: { spec } }))).toMatchObject({ reason: 'FIELD_INVALID' });
    expect(fromJson(resource, { manifest: { spec: { agent: {} } } })).toEqual(
      decode(resource, { manifest: { spec: { agent: {}, schedule: null } } }),
    );
  });
});
