import { expect, it } from 'vitest';
import { createInputCheck } from './input-check.ts';

const check = createInputCheck();

it('names what does not fit a schema', () => {
  const schema = '{"type":"object","properties":{"n":{"type":"number"}},"required":["n"]}';
  expect(check(schema, { n: 1 })).toEqual([]);
  expect(check(schema, { n: 'x' })).toEqual(['/n must be number']);
  expect(check(schema, {})).toEqual(["must have required property 'n'"]);
});

it.each(['{', 'true', 'null', '{"type":"nonsense"}', '{"$async":true,"type":"string"}'])(
  'leaves the schema %s, which is none or asks for a promise, to its workflow',
  (schema) => {
    expect(check(schema, 1)).toEqual([]);
  },
);
