import { AgentSpecSchema, FileSpecSchema, McpServerSpecSchema } from '@svc/api/resources';
import { expect, it } from 'vitest';
import type { JsonMap } from '../canonical-json.ts';
import { shapeProblems } from './index.ts';

it.each<
  readonly [string, typeof AgentSpecSchema | typeof FileSpecSchema | typeof McpServerSpecSchema, JsonMap, string[]]
>([
  ['a message', AgentSpecSchema, { systemPrompt: 'x', post_history_prompt: null, modelPolicy: { profiles: [] } }, []],
  ['unknown fields', AgentSpecSchema, { 'a/b': 1, modelPolicy: { c: 2 } }, ['/a~1b', '/modelPolicy/c']],
  ['no list', AgentSpecSchema, { mcpServerRefs: 'x' }, ['/mcpServerRefs']],
  ['no map', McpServerSpecSchema, { headers: [1] }, ['/headers']],
  ['items of another form', McpServerSpecSchema, { headers: { 'x/y': 1 } }, ['/headers/x~1y']],
  ['no message', AgentSpecSchema, { modelPolicy: [] }, ['/modelPolicy']],
  ['no text', AgentSpecSchema, { systemPrompt: 1 }, ['/systemPrompt']],
  ['no boolean', McpServerSpecSchema, { disabled: 'true' }, ['/disabled']],
  [
    'no number',
    AgentSpecSchema,
    { modelPolicy: { profiles: [{ model: { temperature: 'warm' } }] } },
    ['/modelPolicy/profiles/0/model/temperature'],
  ],
  ['an enum by its name', FileSpecSchema, { purpose: 'FILE_PURPOSE_MEMORY' }, []],
  ['an enum that has no such value, which only reading tells', FileSpecSchema, { purpose: 'NONE' }, ['']],
])('%s is judged by the fields of its message', (...[, schema, value, pointers]) => {
  expect(shapeProblems(schema, value).map(({ pointer }) => pointer)).toEqual(pointers);
});
