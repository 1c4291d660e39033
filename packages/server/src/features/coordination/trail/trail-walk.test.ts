import { describe, expect, it } from 'vitest';
import type { ReadTx, Store } from '../../../store/contracts/index.ts';
import type { TrailEntry, TrailPlace, TrailSource } from '../../trail-source.ts';
import { walkTrail } from './trail-walk.ts';

const turn = (id: string, namespace = 'acme'): TrailPlace => ({ kind: 'turn', id, namespace });
const entryOf = ({ kind, id, namespace }: TrailPlace, more: Partial<TrailEntry> = {}): TrailEntry => ({
  kind,
  id,
  namespace,
  at: 1,
  state: 'COMPLETED',
  ...more,
});

/** A store that counts the records that are read in each snapshot. */
const countingStore = () => {
  const snapshots: number[] = [];
  const store: Pick<Store, 'read'> = {
    read: (work) => {
      snapshots.push(0);
      return work({} as ReadTx);
    },
  };
  const noteRead = (): void => void snapshots.push((snapshots.pop() ?? 0) + 1);
  return { store, snapshots, noteRead };
};

/** A feature in which turn `n` leads to turn `n + 1`, without end. */
const endless = (noteRead: () => void, entriesEach = 1): TrailSource => ({
  read: async (_reads, place) => {
    noteRead();
    const parts = Array.from({ length: entriesEach - 1 }, (_, index) =>
      entryOf({ ...place, id: `${place.id}/${index}` }, { kind: 'tool_call' }),
    );
    return { entries: [entryOf(place), ...parts], links: [turn(String(Number(place.id) + 1))] };
  },
});

const everywhere = (): boolean => true;

describe('the walk of a trail', () => {
  it('reads at most 300 records, each in a snapshot of its own', async () => {
    const { store, snapshots, noteRead } = countingStore();
    const found = await walkTrail(store, [turn('0')], { sources: [endless(noteRead)], isVisible: everywhere });
    expect([found.entries.length, found.isTruncated]).toEqual([300, true]);
    expect(snapshots).toEqual(Array.from({ length: 300 }, () => 1));
  });

  it('ends with the record that fills it, and lets other work of the process in between', async () => {
    const { store, snapshots, noteRead } = countingStore();
    let otherWork = 0;
    let isOver = false;
    const work = (): void => {
      otherWork++;
      if (!isOver) setImmediate(work);
    };
    setImmediate(work);
    const found = await walkTrail(store, [turn('0')], { sources: [endless(noteRead, 30)], isVisible: everywhere });
    isOver = true;
    expect([found.entries.length, found.isTruncated, snapshots.length]).toEqual([1_000, true, 34]);
    expect(otherWork).toBeGreaterThan(30);
  });

  it('is whole when its last record fills it', async () => {
    const { store } = countingStore();
    const source: TrailSource = {
      read: async (_reads, place) => ({
        entries: Array.from({ length: 1_000 }, (_, index) => entryOf({ ...place, id: String(index) })),
        links: [],
      }),
    };
    const found = await walkTrail(store, [turn('0')], { sources: [source], isVisible: everywhere });
    expect([found.entries.length, found.isTruncated]).toEqual([1_000, false]);
  });

  it('neither shows nor follows records of namespaces that the caller may not read', async () => {
    const { store } = countingStore();
    const read: string[] = [];
    const source: TrailSource = {
      read: async (_reads, place) => {
        read.push(place.id);
        if (place.id === 'own') return { entries: [entryOf(place)], links: [turn('secret', 'other'), turn('open')] };
        return { entries: [entryOf(place), entryOf(turn('told of another', 'other'))], links: [] };
      },
    };
    const isVisible = (namespace: string): boolean => namespace === 'acme';
    const found = await walkTrail(store, [turn('own')], { sources: [source], isVisible });
    expect(read).toEqual(['own', 'open']);
    expect([found.entries.map(({ id }) => id), found.isTruncated]).toEqual([['own', 'open'], false]);
  });

  it('shows causes before what they caused at the same time, also where another feature names the cause', async () => {
    const { store } = countingStore();
    const ofTurns: TrailSource = {
      read: async (_reads, place) => ({ entries: [entryOf(place, { causedBy: 'message' })], links: [] }),
    };
    const ofSchedules: TrailSource = {
      read: async () => ({
        entries: [entryOf(turn('message')), entryOf(turn('daily@1'))],
        links: [],
        causes: { message: 'daily@1' },
      }),
    };
    const bounds = { sources: [ofTurns, ofSchedules], isVisible: everywhere };
    const { entries } = await walkTrail(store, [turn('t')], bounds);
    expect(entries.map(({ id, causedBy = '' }) => [id, causedBy])).toEqual([
      ['daily@1', ''],
      ['message', 'daily@1'],
      ['t', 'message'],
    ]);
  });
});
