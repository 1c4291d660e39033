import { type DescMessage, fromJson, type JsonValue, toJson } from '@bufbuild/protobuf';
import { FieldMaskSchema } from '@bufbuild/protobuf/wkt';
import { CreateFileRequestSchema, ListResourcesRequestSchema, MintAccessTokenRequestSchema } from '@svc/api/gateway';
import {
  AgentSpecSchema,
  FileSpecSchema,
  ModelSchema,
  ResourceManifestSchema,
  ResourceMetaSchema,
  SessionStatusSchema,
  WorkflowSpecSchema,
} from '@svc/api/resources';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomMessage } from '../transport/testing/random-message.ts';
import type { JsonMap } from './canonical-json.ts';
import { kinds } from './kinds.ts';
import { storedMessage } from './stored-message.ts';

const oracle = (desc: DescMessage, json: unknown): unknown => {
  try {
    return fromJson(desc, json as JsonValue, { ignoreUnknownFields: true });
  } catch (error) {
    return String(error);
  }
};
const read = (desc: DescMessage, json: unknown): unknown => {
  try {
    return storedMessage(desc, json as JsonMap);
  } catch (error) {
    return String(error);
  }
};

describe('messages from stored JSON', () => {
  it.each(kinds.flatMap((row) => [row.spec, row.status]).map((desc) => [desc.typeName, desc] as const))(
    'are those of protobuf itself: %s',
    (_name, desc) => {
      fc.assert(
        fc.property(randomMessage(desc), (message) => {
          const json = JSON.parse(JSON.stringify(toJson(desc, message))) as JsonMap;
          expect(read(desc, json)).toEqual(oracle(desc, json));
        }),
        { numRuns: 30 },
      );
    },
  );

  const deep = (levels: number): JsonMap => {
    let step: JsonMap = { id: 'leaf' };
    for (let level = 0; level < levels; level++) step = { id: 'x', steps: [step] };
    return { steps: [step] };
  };

  it.each<readonly [string, DescMessage, unknown]>([
    ['fields of a newer release', AgentSpecSchema, { unknown: { a: 1 }, systemPrompt: 'p' }],
    ['names of the proto file', AgentSpecSchema, { system_prompt: 'p' }],
    ['one field by both names', AgentSpecSchema, { system_prompt: 'p', systemPrompt: 'q' }],
    ['text that is none', AgentSpecSchema, { systemPrompt: 7 }],
    ['null', AgentSpecSchema, { systemPrompt: null, runtime: null, mcpServerRefs: null }],
    ['half a character', AgentSpecSchema, { systemPrompt: '\ud800' }],
    ['a list that is none', AgentSpecSchema, { mcpServerRefs: {} }],
    ['a map that is none', AgentSpecSchema, { capabilities: [] }],
    ['a value of JSON that is no list', AgentSpecSchema, { capabilities: { files: 'read' } }],
    ['a message that is none', AgentSpecSchema, { runtime: 'native' }],
    ['no object at all', AgentSpecSchema, 'text'],
    ['a key that is a setter', ResourceMetaSchema, JSON.parse('{"labels":{"__proto__":"x","a":"b"}}')],
    ['numbers as text', ModelSchema, { temperature: '0.5', maxOutputTokens: '7' }],
    ['numbers out of range', ModelSchema, { temperature: 1e300 }],
    ['text for an integer', ResourceMetaSchema, { generation: 7 }],
    ['an integer with zeros before it', ResourceMetaSchema, { generation: '007' }],
    ['a negative count', ResourceMetaSchema, { generation: '-7' }],
    ['a large integer', ResourceMetaSchema, { deletionTimestamp: '9223372036854775807' }],
    ['a negative integer', ResourceMetaSchema, { deletionTimestamp: '-5' }],
    ['text for a number', ListResourcesRequestSchema, { pageSize: 'many' }],
    ['a broken number', ListResourcesRequestSchema, { pageSize: 1.5 }],
    ['truth as text', ListResourcesRequestSchema, { recursive: 'true' }],
    ['an endless number', WorkflowSpecSchema, { steps: [{ retry: { multiplier: Number.POSITIVE_INFINITY } }] }],
    ['two members of a choice', ResourceManifestSchema, { spec: { agent: {}, skill: {} } }],
    ['one member of a choice', ResourceManifestSchema, { spec: { agent: { systemPrompt: 'p' } } }],
    ['a type of protobuf itself', FieldMaskSchema, 'spec'],
    ['a count', MintAccessTokenRequestSchema, { ttlSeconds: 4_294_967_295 }],
    ['a negative count of 32 bits', MintAccessTokenRequestSchema, { ttlSeconds: -1 }],
    ['bytes', CreateFileRequestSchema, { content: 'aGk=' }],
    ['a choice of words', FileSpecSchema, { purpose: 'FILE_PURPOSE_MEMORY' }],
    ['a word that is none of them', FileSpecSchema, { purpose: 'LATER' }],
    ['a state by number', SessionStatusSchema, { state: 1 }],
    ['deep nesting', WorkflowSpecSchema, deep(60)],
    ['nesting that is too deep', WorkflowSpecSchema, deep(120)],
  ])('are those of protobuf itself for %s', (_what, desc, json) => {
    expect(read(desc, json)).toEqual(oracle(desc, json));
  });
});
