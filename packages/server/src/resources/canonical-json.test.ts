import { create } from '@bufbuild/protobuf';
import { AgentSpecSchema, SandboxClassSpecSchema, WorkflowSpecSchema } from '@svc/api/resources';
import { describe, expect, it } from 'vitest';
import {
  canonicalJson,
  canonicalJsonText,
  holdsHalfCharacter,
  type JsonData,
  type JsonMap,
  specNormaliser,
} from './canonical-json.ts';

describe('texts that hold JSON', () => {
  it('are put into one form, and left as they are when they are no JSON', () => {
    expect(canonicalJsonText('{ "b": 1, "a": [1.0, null] }')).toBe('{"a":[1,null],"b":1}');
    expect(canonicalJsonText('{')).toBe('{');
    expect(canonicalJsonText('')).toBe('');
  });

  it('are found wherever a message holds them', () => {
    const steps = [{ id: 'a', whenJson: '{"b":1, "a":2}' }, { id: 'b', output: { schemaJson: ' true' } }, { id: 'c' }];
    const normalise = specNormaliser(WorkflowSpecSchema);
    const spec = normalise(create(WorkflowSpecSchema, { outputJson: '[ 1 ]', steps }));
    expect(spec).toEqual(
      create(WorkflowSpecSchema, {
        outputJson: '[1]',
        steps: [{ id: 'a', whenJson: '{"a":2,"b":1}' }, { id: 'b', output: { schemaJson: 'true' } }, { id: 'c' }],
      }),
    );
    expect(normalise(spec)).toBe(spec);
  });

  it('and floats are the same however they were carried', () => {
    const policy = (temperature: number) => ({
      modelPolicy: { profiles: [{ name: 'a', model: { name: 'm', temperature } }, { name: 'b' }] },
    });
    const spec = create(AgentSpecSchema, policy(0.7));
    expect(specNormaliser(AgentSpecSchema)(create(AgentSpecSchema, policy(Math.fround(0.7))))).toEqual(spec);
    expect(specNormaliser(AgentSpecSchema)(spec)).toBe(spec);
  });

  it('leave messages without them alone', () => {
    const agent = create(AgentSpecSchema, { systemPrompt: '{ "b": 1 }' });
    expect(specNormaliser(AgentSpecSchema)(agent)).toBe(agent);
    const sandbox = create(SandboxClassSpecSchema, { provider: 'local', credentialsJson: '{ "a": "x" }' });
    expect(specNormaliser(SandboxClassSpecSchema)(sandbox)).toMatchObject({ credentialsJson: '{"a":"x"}' });
  });
});

it('what is nested deeply is looked at once, however deep the keys are that have another order', () => {
  let looks = 0;
  const ownKeys = (target: object): (string | symbol)[] => {
    looks += 1;
    return Reflect.ownKeys(target);
  };
  let value: JsonData = new Proxy<JsonMap>({ b: 1, a: 2 }, { ownKeys });
  for (let depth = 0; depth < 12; depth++) value = { a: value };
  expect(canonicalJson(value)).toBe(`${'{"a":'.repeat(12)}{"a":2,"b":1}${'}'.repeat(12)}`);
  expect(looks).toBe(1);
});

describe('half a character', () => {
  it.each([
    ['\ud83d', true],
    ['\udc00 behind', true],
    ['\\\ud83d', true],
    ['\u{1f600}', false],
    ['\\ud83d', false],
    ['\\\\ud83d', false],
    [JSON.stringify('\ud83d'), false],
    ['\\udder', false],
  ])('in %j is found: %s', (text, isFound) => {
    expect(holdsHalfCharacter(canonicalJson(text))).toBe(isFound);
    expect(holdsHalfCharacter(canonicalJson({ [text]: [text] }))).toBe(isFound);
  });
});
