import { describe, expect, it } from 'vitest';
import { type FieldValue, fieldName, formData, formFields } from './schema-form.ts';

const kinds = (schema: unknown): readonly string[] =>
  formFields(schema).map((field) => `${fieldName(field)}: ${field.kind}${field.isRequired ? '!' : ''}`);
const filled = (schema: unknown, values: Readonly<Record<string, FieldValue>>) =>
  formData(formFields(schema), new Map(Object.entries(values)));

describe('the fields of a form', () => {
  it('are the properties of an object, those inside of objects included', () => {
    const schema = {
      type: 'object',
      required: ['name', 'place'],
      properties: {
        name: { type: 'string' },
        age: { type: ['integer', 'null'] },
        weight: { type: 'number' },
        sure: { type: 'boolean' },
        wood: { enum: ['oak', 'larch'] },
        days: { type: 'array', items: { enum: ['Mo', 'Tu'] } },
        about: { type: 'string', maxLength: 2_000 },
        place: {
          type: 'object',
          required: ['city'],
          properties: { city: { type: 'string' }, zip: { type: 'string' } },
        },
        list: { type: 'array', items: { type: 'string' } },
        anything: true,
      },
    };
    expect(kinds(schema)).toEqual([
      'name: text!',
      'age: integer',
      'weight: number',
      'sure: boolean',
      'wood: choice',
      'days: choices',
      'about: long-text',
      'place.city: text!',
      'place.zip: text',
      'list: json',
      'anything: json',
    ]);
  });

  it('is one for a value that is no object, or for one with too much in it', () => {
    expect(kinds({ type: 'integer' })).toEqual([': integer!']);
    expect(kinds(undefined)).toEqual([': json!']);
    const many = Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`p${index}`, { type: 'string' }]));
    expect(kinds({ type: 'object', properties: many })).toEqual([': json!']);
  });

  it('show titles, limits, choices with names, and what is set at first', () => {
    const schema = {
      type: 'object',
      properties: {
        size: { title: 'Size', description: 'in cm', type: 'integer', minimum: 1, maximum: 9, default: 4 },
        wood: { oneOf: [{ const: 1, title: 'Oak' }, { const: 2 }], default: 2 },
        days: { type: 'array', items: { enum: [true, false], enumNames: ['on', 'off'] }, default: [false] },
        mail: { type: 'string', format: 'email', minLength: 3, default: 'a@b' },
        raw: { default: { a: 1 } },
      },
    };
    expect(formFields(schema)).toMatchObject([
      { label: 'Size', description: 'in cm', min: 1, max: 9, initial: '4' },
      {
        label: 'wood',
        choices: [
          { label: 'Oak', value: 1 },
          { label: '2', value: 2 },
        ],
        initial: [1],
      },
      {
        choices: [
          { label: 'on', value: true },
          { label: 'off', value: false },
        ],
        initial: [1],
      },
      { inputType: 'email', min: 3, initial: 'a@b' },
      { kind: 'json', initial: '{"a":1}' },
    ]);
  });
});

describe('the data of a form', () => {
  const schema = {
    type: 'object',
    required: ['name', 'wood'],
    properties: {
      name: { type: 'string' },
      age: { type: 'integer' },
      sure: { type: 'boolean' },
      wood: { enum: ['oak', { fine: true }] },
      days: { type: 'array', items: { enum: [1, 2, 3] } },
      place: { type: 'object', properties: { city: { type: 'string' } } },
      raw: {},
    },
  };

  it('has values of the types that were asked for, and nothing for what was left empty', () => {
    const values = { name: 'Ann', age: ' 7 ', sure: true, wood: [1], days: [0, 2], 'place.city': 'Rome', raw: '[1]' };
    const { data, problems } = filled(schema, values);
    expect(JSON.stringify(data)).toBe(
      '{"name":"Ann","age":7,"sure":true,"wood":{"fine":true},"days":[1,3],"place":{"city":"Rome"},"raw":[1]}',
    );
    expect(problems.size).toBe(0);
    expect(JSON.stringify(filled(schema, { name: 'Ann', wood: [0] }).data)).toBe(
      '{"name":"Ann","sure":false,"wood":"oak","days":[]}',
    );
  });

  it('names what is missing or cannot be read', () => {
    const { problems } = filled(schema, { name: '  ', age: '7.5', raw: '{' });
    expect([...problems]).toEqual([
      ['name', 'missing'],
      ['age', 'number'],
      ['wood', 'missing'],
      ['raw', 'json'],
    ]);
  });

  it('is the value itself where one value was asked for', () => {
    expect(filled({ type: 'number' }, { '': '2.5' })).toEqual({ data: 2.5, problems: new Map() });
    expect(filled({ type: 'boolean' }, {}).data).toBe(false);
  });

  it('holds properties of any name without touching anything else', () => {
    const hostile = JSON.parse(
      '{"type":"object","properties":{"__proto__":{"type":"object","properties":{"x":{"type":"string"}}}}}',
    ) as unknown;
    const { data } = filled(hostile, { '__proto__.x': 'y' });
    expect(JSON.stringify(data)).toBe('{"__proto__":{"x":"y"}}');
    expect(({} as { x?: string }).x).toBe(undefined);
  });
});
