import { expect, it } from 'vitest';
import { Fault } from '../../base/index.ts';
import { storageFull } from '../contracts/index.ts';
import { FullDisk } from './full-disk.ts';

it('says once that the disk is full, and once that it has room, when writes were refused no more for ten seconds', () => {
  const lines: string[] = [];
  let hasRoom = false;
  const disk = new FullDisk(
    { error: (text) => void lines.push(text), warn: (text) => void lines.push(text) },
    () => hasRoom,
  );
  const isFull = (): boolean => {
    try {
      disk.requireRoom();
      return false;
    } catch (error) {
      expect(error).toMatchObject({
        code: 'RESOURCE_EXHAUSTED',
        reason: 'STORAGE_FULL',
        message: "the server's disk is full",
      });
      return true;
    }
  };
  disk.noteFailure(new Fault('ABORTED', 'CONFLICT', 'another reason'), 1_000);
  disk.noteCommit(1_000);
  expect([isFull(), lines]).toEqual([false, []]);
  const full = storageFull(new Error('SQLITE_FULL'));
  for (const ms of [2_000, 3_000, 4_000]) disk.noteFailure(full, ms);
  // A small write that still finds room says nothing about the next one.
  disk.noteCommit(5_000);
  disk.noteFailure(full, 6_000);
  disk.noteCommit(15_999);
  expect(isFull()).toBe(true);
  disk.noteCommit(16_000);
  expect(isFull()).toBe(true);
  hasRoom = true;
  disk.noteCommit(16_001);
  expect(isFull()).toBe(false);
  disk.noteCommit(17_000);
  expect(lines).toEqual([
    "the server's disk is full: writes are refused until there is room again, reads continue",
    'the disk has room again: writes are accepted',
  ]);
});
