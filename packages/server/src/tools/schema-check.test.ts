import { describe, expect, it } from 'vitest';
import { createSchemaCheck, schemaProblem } from './schema-check.ts';

/** A new object each time, for what was compiled is found by the object; `also` are further keywords of the schema. */
const needsA = (also: object = {}) =>
  Object.assign({ type: 'object', properties: { a: { type: 'number' } }, required: ['a'] }, also);
const MISSING = "must have required property 'a'";
const META = 'https://json-schema.org/draft/2020-12/schema';

describe('a schema with a name', () => {
  it.each([
    ['of the meta-schema', META],
    ['of a vocabulary of the meta-schema', 'https://json-schema.org/draft/2020-12/meta/validation'],
    ['of its own', 'https://tools.example/input'],
  ])('%s changes nothing for the schemas after it', (_, $id) => {
    const check = createSchemaCheck();
    check({ $id, type: 'object' }, {});
    check({ type: 'object', properties: { inner: { $id, type: 'string' } } }, {});
    expect(check(needsA(), {})).toEqual([MISSING]);
    expect(check(needsA({ $schema: META }), {})).toEqual([MISSING]);
    expect(schemaProblem({ type: 'object' })).toBeUndefined();
  });

  it('is used like any other', () => {
    const check = createSchemaCheck();
    const named = { $id: 'https://tools.example/input' };
    expect(check(needsA(named), {})).toEqual([MISSING]);
    expect(check(needsA(named), { a: 1 })).toEqual([]);
    const list = {
      $id: 'https://tools.example/list',
      type: 'object',
      properties: { next: { $ref: '#' }, a: needsA() },
    };
    expect(check(list, { next: { next: { a: {} } } })).toEqual([`next.next.a ${MISSING}`]);
  });

  it('is judged by the meta-schema like any other', () => {
    expect(schemaProblem({ $id: 'https://tools.example/input', type: 'text' })).toContain(
      'is not a usable JSON Schema: ',
    );
    expect(createSchemaCheck()({ $id: 'https://tools.example/input', type: 'text' }, 'no object')).toEqual([
      'must be an object',
    ]);
  });
});

it('a schema may refer to the meta-schema', () => {
  const check = createSchemaCheck();
  expect(check({ type: 'object', properties: { schema: { $ref: META } } }, { schema: { type: 'text' } })).not.toEqual(
    [],
  );
  expect(check({ type: 'object', properties: { schema: { $ref: META } } }, { schema: { type: 'string' } })).toEqual([]);
});
