import { describe, expect, it } from 'vitest';
import { KeyTable } from './key-table.ts';

const press = (key: string, more: { readonly isMod?: boolean; readonly isTyping?: boolean } = {}) => ({
  key,
  isMod: false,
  isTyping: false,
  ...more,
});
const nothing = (): void => undefined;

const tableOf = (...keys: readonly string[]): KeyTable => {
  const table = new KeyTable();
  for (const one of keys) table.add({ keys: one, does: one, run: nothing });
  return table;
};

describe('KeyTable', () => {
  it('finds single keys and keys with Cmd or Ctrl', () => {
    const table = tableOf('c', 'mod+k');
    expect(table.find(press('c'), 0)?.does).toBe('c');
    expect(table.find(press('k'), 0)).toBeUndefined();
    expect(table.find(press('k', { isMod: true }), 0)?.does).toBe('mod+k');
  });

  it('leaves keys to a field in which the person types, except those with Cmd or Ctrl', () => {
    const table = tableOf('c', 'mod+k');
    expect(table.find(press('c', { isTyping: true }), 0)).toBeUndefined();
    expect(table.find(press('k', { isTyping: true, isMod: true }), 0)?.does).toBe('mod+k');
  });

  it('takes two keys in a row within 1.2 seconds', () => {
    const table = tableOf('g i', 'i');
    expect(table.find(press('g'), 0)).toBeUndefined();
    expect(table.find(press('i'), 1_000)?.does).toBe('g i');
    expect(table.find(press('i'), 1_100)?.does).toBe('i');
    expect(table.find(press('g'), 2_000)).toBeUndefined();
    expect(table.find(press('i'), 3_300)?.does).toBe('i');
  });

  it('prefers the newest binding, and forgets removed ones', () => {
    const table = tableOf('c');
    const remove = table.add({ keys: 'c', does: 'newer', run: nothing });
    expect(table.find(press('c'), 0)?.does).toBe('newer');
    remove();
    expect(table.find(press('c'), 0)?.does).toBe('c');
  });
});
