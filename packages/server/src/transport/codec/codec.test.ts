import {
  create,
  type DescMessage,
  equals,
  fromBinary,
  fromJson,
  fromJsonString,
  type Message,
  type MessageInitShape,
  toBinary,
  toJson,
} from '@bufbuild/protobuf';
import { FieldMaskSchema } from '@bufbuild/protobuf/wkt';
import { SessionHitSchema, SessionMessageSchema, TurnSchema } from '@svc/api/data';
import {
  AppendSessionMessageRequestSchema,
  ApplyManifestsRequestSchema,
  ApplyResourceRequestSchema,
  CreateRunRequestSchema,
  ModifyAgentRequestSchema,
  SendMessageRequestSchema,
  WhenBusy,
} from '@svc/api/gateway';
import { methods } from '@svc/api/methods';
import {
  AgentSchema,
  AgentSpecSchema,
  McpServerBindingSchema,
  ModelSchema,
  SandboxClassSpecSchema,
  TemplateSpecSchema,
  WorkflowSpecSchema,
} from '@svc/api/resources';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { atOnce, Fault } from '../../base/index.ts';
import { randomMessage } from '../testing/random-message.ts';
import { Codec } from './codec.ts';
import { readingBinary } from './sliced-binary.ts';

const codec = new Codec({ depth: 100, elements: 200_000 });
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

  test('is decoded in steps to the same message as at once, however small the steps are', () => {
    for (const desc of types) {
      fc.assert(
        fc.property(randomMessage(desc), fc.integer({ min: 1, max: 20 }), (message, perStep) => {
          const bytes = toBinary(desc, message);
          expect(equals(desc, atOnce(readingBinary(desc, bytes, perStep)), settled(desc, message))).toBe(true);
          expect(equals(desc, atOnce(codec.readingBinary(desc, bytes)), settled(desc, message))).toBe(true);
          const json = toJson(desc, message) as Record<string, unknown>;
          const read = atOnce(codec.jsonDecoder.decoding(desc, json));
          expect(equals(desc, read, codec.jsonDecoder.decode(desc, json))).toBe(true);
        }),
        { numRuns: 15 },
      );
    }
  });

  test('is cut at every tag: a member that comes twice is merged as the wire format says', () => {
    const desc = ApplyResourceRequestSchema;
    const half = (init: MessageInitShape<typeof ApplyResourceRequestSchema>): Uint8Array =>
      toBinary(desc, create(desc, init));
    const bytes = Buffer.concat([
      half({ manifest: { metadata: { name: 'a', labels: { x: '1' } } } }),
      half({ manifest: { spec: { kind: { case: 'agent', value: { systemPrompt: 'p' } } } } }),
      half({
        manifest: { metadata: { labels: { y: '2' } }, spec: { kind: { case: 'agent', value: { features: [{}] } } } },
      }),
    ]);
    for (const perStep of [1, 2, 3]) {
      expect(equals(desc, atOnce(readingBinary(desc, bytes, perStep)) as never, fromBinary(desc, bytes))).toBe(true);
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

  test.each([
    [Number.NaN, '"NaN"'],
    [Number.POSITIVE_INFINITY, '"Infinity"'],
    [Number.NEGATIVE_INFINITY, '"-Infinity"'],
  ])('prints %d, for which JSON has no number, as %s, and reads it again', (score, printed) => {
    const hit = create(SessionHitSchema, { score });
    expect(encode(SessionHitSchema, hit)).toContain(`"score":${printed}`);
    const read = decode(SessionHitSchema, { score: JSON.parse(printed) }) as typeof hit;
    expect(read.score).toBe(score);
    expect(fromBinary(SessionHitSchema, codec.binary.encode(SessionHitSchema, hit)).score).toBe(score);
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

describe('JSON texts inside of messages', () => {
  const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
  const manifests = (text: string): MessageInitShape<typeof ApplyManifestsRequestSchema> => ({
    manifests: [{ kind: 'Thing', spec: { kind: { case: 'raw', value: { json: text } } } }],
  });

  test('are refused by field when they nest deeper than the limit, in either encoding', () => {
    const path = 'manifests[0].spec.raw.json';
    const message = create(ApplyManifestsRequestSchema, manifests(nested(101)));
    const bytes = toBinary(ApplyManifestsRequestSchema, message);
    for (const fault of [
      refusal(() => codec.fromBinary(ApplyManifestsRequestSchema, bytes)),
      refusal(() => decode(ApplyManifestsRequestSchema, toJson(ApplyManifestsRequestSchema, message))),
    ]) {
      expect(fault).toMatchObject({ code: 'INVALID_ARGUMENT', reason: 'JSON_INVALID' });
      expect(fault.violations).toEqual([{ field: path, description: 'nests deeper than 100', reason: 'JSON_INVALID' }]);
    }
  });

  test('are read up to the limit', () => {
    const message = create(ApplyManifestsRequestSchema, manifests(nested(100)));
    const bytes = toBinary(ApplyManifestsRequestSchema, message);
    expect(
      equals(ApplyManifestsRequestSchema, codec.fromBinary(ApplyManifestsRequestSchema, bytes) as never, message),
    ).toBe(true);
  });

  test('are found wherever a message holds one: parts, steps of a workflow, templates, sandbox classes', () => {
    const deep = nested(3_000);
    const refused = (desc: DescMessage, init: Record<string, unknown>): string | undefined =>
      refusal(() => codec.fromBinary(desc, toBinary(desc, create(desc, init)))).violations[0]?.field;
    expect(refused(SendMessageRequestSchema, { parts: [{}, { payloadJson: deep }] })).toBe('parts[1].payloadJson');
    expect(refused(CreateRunRequestSchema, { inputJson: deep })).toBe('inputJson');
    expect(refused(TemplateSpecSchema, { specJson: deep })).toBe('specJson');
    expect(refused(SandboxClassSpecSchema, { providerConfigJson: deep })).toBe('providerConfigJson');
    expect(refused(WorkflowSpecSchema, { steps: [{ inputJson: deep }] })).toBe('steps[0].inputJson');
  });
});

describe('large requests', () => {
  const small = new Codec({ depth: 100, elements: 1_000 });
  const desc = SendMessageRequestSchema;
  const parts = (count: number): Uint8Array =>
    toBinary(desc, create(desc, { parts: Array.from({ length: count }, () => ({})) }));

  test('are refused before they are decoded when they hold too many values', () => {
    const tooMany = { code: 'RESOURCE_EXHAUSTED', reason: 'TOO_LARGE' };
    expect(refusal(() => atOnce(small.readingBinary(desc, parts(1_001))))).toMatchObject(tooMany);
    expect(refusal(() => small.jsonDecoder.decodeText(desc, `{"parts":[${'{},'.repeat(1_000)}{}]}`))).toMatchObject(
      tooMany,
    );
    expect((atOnce(small.readingBinary(desc, parts(1_000))) as { parts?: unknown[] }).parts).toHaveLength(1_000);
  });

  test('are counted in maps, packed lists and below fields', () => {
    const nested = toBinary(
      AppendSessionMessageRequestSchema,
      create(AppendSessionMessageRequestSchema, { message: { parts: Array.from({ length: 1_001 }, () => ({})) } }),
    );
    expect(refusal(() => atOnce(small.readingBinary(AppendSessionMessageRequestSchema, nested))).code).toBe(
      'RESOURCE_EXHAUSTED',
    );
    const lists = {
      capabilities: {
        a: { values: Array.from({ length: 1_001 }, () => ({ kind: { case: 'boolValue', value: true } })) },
      },
    };
    const inMap = toBinary(AgentSpecSchema, create(AgentSpecSchema, lists as never));
    expect(refusal(() => atOnce(small.readingBinary(AgentSpecSchema, inMap))).code).toBe('RESOURCE_EXHAUSTED');
  });

  test('with very many unknown members are refused with the first few of them', () => {
    const members = Array.from({ length: 500 }, (_, index) => `"k${index}":1`).join(',');
    expect(refusal(() => codec.jsonDecoder.decodeText(desc, `{${members}}`)).violations).toHaveLength(50);
    const tooMany = Array.from({ length: 10_002 }, (_, index) => `"k${index}":1`).join(',');
    expect(refusal(() => codec.jsonDecoder.decodeText(desc, `{${tooMany}}`)).reason).toBe('JSON_INVALID');
  });

  test('give the names of their target without being decoded', () => {
    const bytes = toBinary(desc, create(desc, { ns: 'acme', agent: 'a', sessionId: 's', message: 'm', parts: [{}] }));
    expect(codec.namesInBinary(desc, bytes, new Set(['ns', 'agent', 'name']))).toEqual({ ns: 'acme', agent: 'a' });
    expect(codec.namesInBinary(desc, Buffer.from([0xff, 0xff]), new Set(['ns']))).toEqual({});
  });

  test('that are cut short are malformed wherever the cut is', () => {
    const bytes = toBinary(desc, create(desc, { ns: 'acme', parts: [{ content: 'a text', name: 'n' }] }));
    for (let length = 1; length < bytes.length; length++) {
      const cut = bytes.subarray(0, length);
      const outcome = (read: () => unknown): string => {
        try {
          read();
          return 'read';
        } catch (error) {
          return (error as Fault).message;
        }
      };
      expect(outcome(() => atOnce(codec.readingBinary(desc, cut)))).toBe(outcome(() => codec.fromBinary(desc, cut)));
    }
  });
});
