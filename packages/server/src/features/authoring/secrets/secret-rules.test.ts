import { create } from '@bufbuild/protobuf';
import { SecretSpecSchema } from '@svc/api/resources';
import { describe, expect, it } from 'vitest';
import { checkSecret, fillSecretDefaults, SECRET_MAX } from './secret-rules.ts';

const faults = (data: Record<string, string>, type = ''): string[] =>
  checkSecret(create(SecretSpecSchema, { data, type })).map((fault) => `${fault.field} ${fault.reason}`);

describe('a secret', () => {
  it('takes texts into its data, where they win', () => {
    const given = create(SecretSpecSchema, { data: { b: 'eA==', a: 'eA==' }, stringData: { b: 'päss' } });
    const filled = fillSecretDefaults(given);
    expect(filled).toMatchObject({ type: 'Opaque', data: { a: 'eA==', b: 'cMOkc3M=' }, stringData: {} });
    expect(fillSecretDefaults(create(SecretSpecSchema, { type: 'tls' })).type).toBe('tls');
    expect(given.stringData).toEqual({ b: 'päss' });
  });

  it('names every fault without a value', () => {
    expect(faults({ 'a b': 'x', c: 'eA==', d: 'eA', e: '' }, 'x'.repeat(254))).toEqual([
      'spec.data[a b] FIELD_INVALID',
      'spec.data[a b] SECRET_BASE64',
      'spec.data[d] SECRET_BASE64',
      'spec.type FIELD_INVALID',
    ]);
    const big = Buffer.alloc(SECRET_MAX / 2 + 1).toString('base64');
    expect(faults({ a: big, b: big })).toEqual(['spec.data TOO_LARGE']);
  });

  it('takes a sealed text only where it stands already, since its key is missing', () => {
    const spec = create(SecretSpecSchema, { data: { a: 'sealed:v1:gone:AAAA' } });
    expect(checkSecret(spec, spec)).toEqual([]);
    expect(checkSecret(spec, { data: { a: 'sealed:v1:gone:BBBB', b: 'sealed:v1:gone:AAAA' } })).toHaveLength(1);
    expect(faults(spec.data)).toEqual(['spec.data[a] SECRET_BASE64']);
  });
});
