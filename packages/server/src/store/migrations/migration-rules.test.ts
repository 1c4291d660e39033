import { describe, expect, it } from 'vitest';
import { loadMigrations, type Migration } from './index.ts';
import { migrationStatus, pendingMigrations, requireBackup, undoneMigrations } from './migration-rules.ts';

const HOUR = 3_600_000_000;
const step = (version: number, more: Partial<Migration> = {}): Migration => ({
  ...{ version, name: `step-${version}`, sql: '', down: `undo ${version}` },
  ...more,
});
const { down: _first, ...final } = step(1);
const known: readonly Migration[] = [final, step(2), step(3)];
const versions = (steps: readonly Migration[]): readonly number[] => steps.map(({ version }) => version);
const reasonOf = (work: () => unknown): unknown => {
  try {
    work();
    return undefined;
  } catch (error) {
    return Reflect.get(error as object, 'reason');
  }
};

describe('going up', () => {
  it('takes what is not applied; one unknown step ahead is the next release, more are too new', () => {
    expect(versions(pendingMigrations(known, 1))).toEqual([2, 3]);
    expect(pendingMigrations(known, 4)).toEqual([]);
    expect(reasonOf(() => pendingMigrations(known, 5))).toBe('SCHEMA_TOO_NEW');
    expect(reasonOf(() => pendingMigrations([], 2))).toBe('SCHEMA_TOO_NEW');
  });

  it('over a contracting step needs a yes or a backup of the last day', () => {
    const steps = [step(2), step(3, { isContracting: true })];
    const ask = (facts: Partial<Parameters<typeof requireBackup>[1]>, pending = steps): unknown =>
      reasonOf(() => requireBackup(pending, { isAgreed: false, lastBackupAt: 0, now: 100 * HOUR, ...facts }));
    expect(ask({})).toBe('BACKUP_NEEDED');
    expect(ask({ lastBackupAt: 76 * HOUR })).toBe('BACKUP_NEEDED');
    expect(ask({ lastBackupAt: 77 * HOUR })).toBeUndefined();
    expect(ask({ isAgreed: true })).toBeUndefined();
    expect(ask({}, [step(2)])).toBeUndefined();
  });
});

describe('going down', () => {
  it('undoes the newest step, or all above a target, the newest first', () => {
    expect(versions(undoneMigrations(known, 3))).toEqual([3]);
    expect(versions(undoneMigrations(known, 3, 1))).toEqual([3, 2]);
  });

  it('refuses a step that is final, a target that is not below, and steps of a newer release', () => {
    expect(reasonOf(() => undoneMigrations(known, 3, 0))).toBe('MIGRATION_FINAL');
    expect(reasonOf(() => undoneMigrations(known, 1))).toBe('MIGRATION_FINAL');
    for (const target of [3, 4, -1, 0.5])
      expect(reasonOf(() => undoneMigrations(known, 3, target))).toBe('MIGRATION_TARGET');
    expect(reasonOf(() => undoneMigrations(known, 0))).toBe('MIGRATION_TARGET');
    expect(reasonOf(() => undoneMigrations(known, 4, 3))).toBe('SCHEMA_TOO_NEW');
  });
});

describe('the status', () => {
  it('tells what is pending and what could be undone', () => {
    const facts = (applied: number, steps = known) => {
      const { pending, undoable, known: newest } = migrationStatus(steps, applied);
      return [newest, versions(pending), versions(undoable)];
    };
    expect(facts(0)).toEqual([3, [1, 2, 3], []]);
    expect(facts(2)).toEqual([3, [3], [2]]);
    expect(facts(3)).toEqual([3, [], [3, 2]]);
    expect(facts(9)).toEqual([3, [], []]);
    expect(facts(2, [step(1), step(2)])).toEqual([2, [], [2, 1]]);
    expect(facts(0, [])).toEqual([0, [], []]);
  });
});

it('every expanding migration has a way back; the first one makes the store', () => {
  const steps = loadMigrations('sqlite');
  expect(steps[0]).not.toHaveProperty('down');
  expect(steps.slice(1).filter(({ down, isContracting }) => isContracting === (down !== undefined))).toEqual([]);
});
