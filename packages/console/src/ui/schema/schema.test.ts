import { describe, expect, it } from 'vitest';
import { controlOf, initialValue, type JsonSchema, resolved, schemaOf, withValue } from './schema.ts';
import { problemsOf } from './schema-problems.ts';

const order: JsonSchema = {
  type: 'object',
  required: ['name', 'amount', 'lines'],
  properties: {
    name: { type: 'string', minLength: 2, maxLength: 5, pattern: '^[a-z]+$' },
    amount: { type: 'integer', minimum: 1, maximum: 10, default: 3 },
    mail: { type: ['string', 'null'], format: 'email' },
    speed: { enum: ['slow', 'fast', 3] },
    lines: { type: 'array', minItems: 1, items: { $ref: '#/$defs/line' } },
    half: { type: 'number', multipleOf: 0.1, exclusiveMinimum: 0 },
    until: { type: 'string', format: 'date-time' },
  },
  $defs: { line: { type: 'object', required: ['text'], properties: { text: { type: 'string' } } } },
};

describe('schema', () => {
  it('reads a schema from text, and says when there is none', () => {
    expect(schemaOf('{"type":"string"}')).toEqual({ type: 'string' });
    expect([schemaOf(''), schemaOf('[]'), schemaOf('{')]).toEqual([undefined, undefined, undefined]);
  });

  it('chooses a control by type, and JSON for what no control shows', () => {
    expect(controlOf({ enum: [1, 2], type: 'integer' })).toBe('choice');
    expect(controlOf({ type: ['boolean', 'null'] })).toBe('boolean');
    expect(controlOf({ properties: { a: {} } })).toBe('object');
    expect(controlOf({ type: 'object' })).toBe('json');
    expect(controlOf({ type: 'array' })).toBe('json');
    expect(controlOf({ type: ['string', 'number'] })).toBe('json');
  });

  it('follows references to definitions of the same schema, and keeps what stands beside them', () => {
    expect(resolved({ $ref: '#/$defs/line', title: 'Line' }, order)).toMatchObject({ title: 'Line', type: 'object' });
    expect(resolved({ $ref: 'https://example.com/x' }, order)).toEqual({ $ref: 'https://example.com/x' });
  });

  it('begins with defaults, and takes values out that are undefined', () => {
    expect(initialValue(order)).toEqual({ amount: 3 });
    expect(withValue({ a: 1, b: 2 }, 'a', undefined)).toEqual({ b: 2 });
    expect(withValue(undefined, 'a', 1)).toEqual({ a: 1 });
  });
});

describe('problemsOf', () => {
  it('finds nothing in a value that fits', () => {
    const value = { name: 'abc', amount: 10, mail: null, speed: 3, lines: [{ text: 'x' }], half: 0.3 };
    expect([...problemsOf(order, value)]).toEqual([]);
  });

  it('names the place and the fault of each value', () => {
    const value = {
      name: 'A',
      amount: 10.5,
      mail: 'nobody',
      speed: 'medium',
      lines: [{ text: 1 }, {}],
      half: 0,
      until: 'soon',
    };
    expect([...problemsOf(order, value)]).toEqual([
      ['/name', 'At least 2 characters'],
      ['/amount', 'Must be a whole number'],
      ['/mail', 'Must be an e-mail address'],
      ['/speed', 'Must be one of the choices'],
      ['/lines/0/text', 'Must be a text'],
      ['/lines/1/text', 'Required'],
      ['/half', 'More than 0'],
      ['/until', 'Must be a date with a time'],
    ]);
  });

  it('says what is missing or of another type', () => {
    expect([...problemsOf(order, { lines: [] })]).toEqual([
      ['/name', 'Required'],
      ['/amount', 'Required'],
      ['/lines', 'At least 1'],
    ]);
    expect([...problemsOf(order, 'x')]).toEqual([['', 'Must be an object']]);
    expect([...problemsOf({ type: 'integer' }, 'twelve')]).toEqual([['', 'Must be a number']]);
    expect([...problemsOf({ type: 'string', pattern: '(' }, 'any')]).toEqual([]);
  });
});
