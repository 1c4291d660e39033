import { describe, expect, it } from 'vitest';
import type { JsonData, JsonMap } from '../../../../resources/index.ts';
import { sharedSchemaCheck } from '../../../../tools/testing/shared-schema-check.ts';
import {
  holds,
  jsonOfData,
  jsonOfText,
  PredicateTypeError,
  RenderingRoom,
  renderJson,
  renderPrompt,
  renderText,
  schemaProblem,
} from './index.ts';

const scope = {
  input: { n: 4, text: 'hi', list: [1, { a: 2 }], 'a.b': 'dotted', none: null, object: { x: 1, y: [2] } },
  state: {},
  steps: { one: { status: 'COMPLETED', output: { v: 7 } } },
  run: { id: 'r', workflow: 'w', namespace: 'n', status: 'RUNNING' },
};

const room = (bytes = 1_000) => new RenderingRoom(bytes, 'limits.x');

describe('expressions', () => {
  it.each<[string, JsonData]>([
    ['${$.input.n}', 4],
    ['${$.input.object}', { x: 1, y: [2] }],
    ['${$.input.missing}', null],
    ['${$.input.none}', null],
    ['${$.input.list[0]}', 1],
    ['${$.input.list[1].a}', 2],
    ['${$.input.list[9]}', null],
    ['${$.input.text[0]}', null],
    ['${$.input["a.b"]}', 'dotted'],
    ['${$.input.constructor}', null],
    ['${$.steps.one.output.v}', 7],
    ['${$.run.workflow}', 'w'],
    ['n=${$.input.n} ${$.input.text}!', 'n=4 hi!'],
    ['<${$.input.missing}${$.input.none}>', '<>'],
    ['as ${$.input.object}', 'as {"x":1,"y":[2]}'],
    ['$${$.input.n} is ${$.input.n}', '${$.input.n} is 4'],
    ['plain', 'plain'],
    ['', ''],
  ])('of the text %s are worth %j (47)', (text, value) => {
    expect(renderText(text, scope, room())).toEqual(value);
  });

  it('are replaced in the string values of JSON, and in no key', () => {
    const written = { '${$.input.n}': ['${$.input.n}', { deep: 'x${$.input.n}' }, 1, null, true] };
    expect(renderJson(written, scope, room())).toEqual({ '${$.input.n}': [4, { deep: 'x4' }, 1, null, true] });
  });

  it('become text in a prompt, also a whole one', () => {
    const texts = ['${$.input.object}', '${$.input.none}', '${$.input.n}'];
    expect(texts.map((text) => renderPrompt(text, scope, room()))).toEqual(['{"x":1,"y":[2]}', '', '4']);
  });

  it('have room for so many bytes of values, however often they are named, and literals take none of it', () => {
    const twice = ['${$.input.object}', 'as long as this is ${$.input.object}'];
    expect(renderJson(twice, scope, room(30))).toEqual([scope.input.object, 'as long as this is {"x":1,"y":[2]}']);
    for (const bytes of [29, 14])
      expect(() => renderJson(twice, scope, room(bytes))).toThrow(`more than ${bytes} bytes (limits.x)`);
  });
});

/** An object that tells when its members are listed to be sorted. */
const watched = (read: () => void): JsonData =>
  new Proxy<JsonMap>(
    { b: 1, a: 2 },
    {
      ownKeys: (target) => {
        read();
        return Reflect.ownKeys(target);
      },
    },
  );

describe('a predicate', () => {
  const leaf = (path: string, name: string, value: JsonData) => ({ path: `$.input.${path}`, [name]: value });

  it.each<[JsonData, boolean]>([
    [{ all: [] }, true],
    [{ any: [] }, false],
    [{ all: [leaf('n', 'equals', 4), leaf('text', 'equals', 'hi')] }, true],
    [{ all: [leaf('n', 'equals', 4), leaf('text', 'equals', 'ho')] }, false],
    [{ any: [leaf('n', 'equals', 5), leaf('text', 'equals', 'hi')] }, true],
    [{ not: leaf('n', 'equals', 4) }, false],
    [leaf('missing', 'exists', false), true],
    [leaf('missing', 'exists', true), false],
    [leaf('none', 'exists', true), true],
    [leaf('missing', 'notEquals', 1), false],
    [leaf('n', 'notEquals', 1), true],
    [leaf('n', 'equals', 4.0), true],
    [leaf('object', 'equals', { y: [2], x: 1 }), true],
    [leaf('n', 'in', [3, 4]), true],
    [leaf('missing', 'in', [null]), false],
    [leaf('none', 'in', [null]), true],
    [leaf('text', 'contains', 'h'), true],
    [leaf('text', 'contains', 4), false],
    [leaf('list', 'contains', { a: 2 }), true],
    [leaf('n', 'contains', 4), false],
    [leaf('n', 'gt', 3), true],
    [leaf('n', 'gte', 4), true],
    [leaf('n', 'lt', 4), false],
    [leaf('n', 'lte', 4), true],
    [leaf('missing', 'gt', 3), false],
  ])('%j is %j', (predicate, value) => {
    expect(holds(predicate, scope)).toBe(value);
  });

  it.each<[string, (read: () => void) => readonly [JsonData, JsonData]]>([
    ['contains', (read) => [Array.from({ length: 100 }, (_, index) => index), watched(read)]],
    ['in', (read) => [watched(read), Array.from({ length: 100 }, (_, index) => index)]],
  ])('%s writes out what it searches for once, not for each item', (name, made) => {
    let reads = 0;
    const [value, operand] = made(() => {
      reads += 1;
    });
    const predicate = { path: '$.input', [name]: operand };
    expect(holds(predicate, { ...scope, input: value })).toBe(false);
    expect(reads).toBe(1);
  });

  it('that orders anything but numbers is a fault', () => {
    expect(() => holds(leaf('text', 'gt', 3), scope)).toThrow(PredicateTypeError);
    expect(() => holds({ any: [leaf('none', 'lte', 3)] }, scope)).toThrow('lte compares numbers, not null');
  });
});

describe('the JSON of an answer', () => {
  it.each<[string, JsonData | undefined, boolean?]>([
    [' {"a": 1} ', { a: 1 }, false],
    ['3', 3, false],
    ['```\n[1]\n```', [1], true],
    ['```json\nnot\n```\n```json\n{"b":2}\n```', { b: 2 }, true],
    ['so {"a":"}\\"{"} and {"b":2}', { a: '}"{' }, true],
    ['{broken {"b": [1, {"c": 2}]} rest', { b: [1, { c: 2 }] }, true],
    ['no } JSON { here', undefined],
    ['[[[[', undefined],
  ])('%j is %j', (text, json, isRepaired = false) => {
    expect(jsonOfText(text)).toEqual(json === undefined ? undefined : { json, isRepaired });
  });

  it('is made of the data of tools, unless JSON cannot hold it', () => {
    const nested = (depth: number): unknown => (depth === 0 ? 1 : [nested(depth - 1)]);
    expect(jsonOfData({ a: 1, b: undefined })).toEqual({ json: { a: 1 }, isRepaired: false });
    expect([{ a: 1n }, undefined, nested(2_000)].map(jsonOfData)).toEqual([undefined, undefined, undefined]);
  });

  it('is not searched for without end', () => {
    expect(jsonOfText(`${'['.repeat(200)}{"a":1}`)).toBeUndefined();
  });
});

it('a schema judges any value: none is asked where there is none, and the schema false allows nothing', () => {
  const problem = (schema: string, value: JsonData) => schemaProblem(sharedSchemaCheck, schema, value);
  expect([problem('', 1), problem('true', 1), problem('{"type":"number"}', 1)]).toEqual(['', '', '']);
  expect(problem('{"type":"number"}', 'x')).toContain('number');
  expect(problem('false', 1)).toBe('the schema allows no value');
});

it('a schema that refers to itself without end is a problem like others, and so is a long list of violations', () => {
  const problem = (schema: string, value: JsonData) => schemaProblem(sharedSchemaCheck, schema, value);
  expect(problem('{"$dynamicRef":"#"}', 1)).toContain('cannot be checked: ');
  const many = problem(
    '{"items":{"type":"string"}}',
    Array.from({ length: 5_000 }, (_, index) => index),
  );
  expect(many.split('; ')).toHaveLength(20);
});
