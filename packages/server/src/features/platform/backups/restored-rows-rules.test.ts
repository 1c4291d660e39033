import { describe, expect, it } from 'vitest';
import { DUMP_TABLES, type DumpRow, type DumpTable } from '../../../store/contracts/index.ts';
import { restoredRow } from './restored-rows-rules.ts';

const table = (name: string): DumpTable => {
  const found = DUMP_TABLES.find((candidate) => candidate.name === name);
  if (found === undefined) throw new Error(`there is no table ${name}`);
  return found;
};
const restored = (name: string, row: DumpRow): DumpRow | undefined => restoredRow(table(name), row, 'new epoch');

describe('a restored row', () => {
  it('of the instance has the new epoch, and everything else as it was', () => {
    expect(restored('instance', { name: 'epoch', value: 'old' })).toEqual({ name: 'epoch', value: 'new epoch' });
    expect(restored('instance', { name: 'clock', value: '5' })).toEqual({ name: 'clock', value: '5' });
  });

  it('of the instance does not say with which key secrets were encrypted, nor what goes on or is owed', () => {
    expect(restored('instance', { name: 'backup.owed', value: '{}' })).toBeUndefined();
    expect(restored('instance', { name: 'restore', value: 'a' })).toBeUndefined();
    expect(restored('instance', { name: 'token-key', value: 'sealed:v1:a:b' })).toBeUndefined();
    expect(restored('instance', { name: 'secrets.key', value: 'hashed:v1:a:b' })).toBeUndefined();
  });

  it('of a claim is expired and held by nobody; its turn agrees', () => {
    const claim = { worker: 'w', turn_id: 't', fence: 3, expires_at: 99 };
    expect(restored('claims', claim)).toEqual({ ...claim, worker: 'restored/w', expires_at: 0 });
    expect(restored('turns', { id: 't', worker: 'w', fence: 3 })).toEqual({ id: 't', worker: 'restored/w', fence: 3 });
    expect(restored('turns', { id: 't', worker: '', fence: 0 })).toEqual({ id: 't', worker: '', fence: 0 });
  });

  it('of a lease does not come back, and nothing in a queue is taken', () => {
    expect(restored('leases', { name: 'l', owner: 'o', expires_at: 1 })).toBeUndefined();
    expect(restored('queue', { kind: 'k', key: 'a', token: 'x' })).toEqual({ kind: 'k', key: 'a', token: '' });
  });

  it('of an object that was being removed only has no references', () => {
    const object = { sha256: 'a', size_bytes: 1, unreferenced_at: 5 };
    expect(restored('objects', object)).toEqual(object);
    expect(restored('objects', { ...object, unreferenced_at: 2 ** 52 + 5 })).toEqual(object);
  });

  it('of any other table is the row', () => {
    const row = { uid: 'u', body: '{}' };
    expect(restored('activity', row)).toBe(row);
  });
});
