import { describe, expect, it } from 'vitest';
import { base64OfText, namesSecret, readableValue } from './secret-value.ts';

describe('values', () => {
  it('are base64 and back', () => {
    expect(base64OfText('grün')).toBe('Z3LDvG4=');
    expect(readableValue('Z3LDvG4=')).toEqual({ text: 'grün' });
  });

  it('that are no text are counted', () => {
    expect(readableValue('/wD+')).toEqual({ bytes: 3 });
    expect(readableValue('YQBi')).toEqual({ bytes: 3 });
  });
});

describe('namesSecret', () => {
  it.each([
    ['{"headers":{"authorization":"Bearer secret://desk/token"}}', true],
    ['{"auth":{"secretRef":"desk/token"}}', true],
    ['{"a":"secret://desk-2/token"}', false],
    ['{"a":"desk/token"}', false],
  ])('%s', (spec, isNamed) => {
    expect(namesSecret(spec, 'desk')).toBe(isNamed);
  });

  it('takes a name as it is', () => {
    expect(namesSecret('{"a":"secret://dxsk/token"}', 'd.sk')).toBe(false);
  });
});
