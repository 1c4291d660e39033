import { Fault } from '../../base/index.ts';

export interface Migration {
  readonly version: number;
  readonly name: string;
  readonly sql: string;
  /** Undoes it; absent where that would lose what an earlier release needs. */
  readonly down?: string;
  /** True for a step after which the release before cannot run. */
  readonly isContracting?: boolean;
}

/** The state of a store, and what could be done. */
export interface MigrationStatus {
  /** Newest step that was applied; 0 = an empty store. */
  readonly applied: number;
  /** Newest step this release knows. */
  readonly known: number;
  readonly pending: readonly Migration[];
  /** Steps that `svc migrate down` could undo, the newest first. */
  readonly undoable: readonly Migration[];
}

/** A backup that is older does not count before a contracting step. */
const BACKUP_HOURS = 24;
const HOUR_MICROS = 3_600_000_000;

const newestOf = (known: readonly Migration[]): number => known.at(-1)?.version ?? 0;

const schemaTooNew = (applied: number, newest: number): Fault =>
  new Fault(
    'FAILED_PRECONDITION',
    'SCHEMA_TOO_NEW',
    `the store has schema ${applied}, this release knows ${newest}: install a newer release, or run \`svc migrate down\` with the newer one`,
    { metadata: { schema: String(applied), known: String(newest) } },
  );

/**
 * Migrations still to apply. A schema one step ahead is the next release's expansion and is fine; further ahead is
 * Fault FAILED_PRECONDITION SCHEMA_TOO_NEW.
 */
export const pendingMigrations = (known: readonly Migration[], appliedVersion: number): readonly Migration[] => {
  const newest = newestOf(known);
  if (appliedVersion > newest + 1) throw schemaTooNew(appliedVersion, newest);
  return known.filter((migration) => migration.version > appliedVersion);
};

/** The state of a store with this newest step; answers for any number, also one of a much newer release. */
export const migrationStatus = (known: readonly Migration[], applied: number): MigrationStatus => {
  const done = known.filter(({ version }) => version <= applied).reverse();
  const final = done.findIndex(({ down }) => down === undefined);
  return {
    applied,
    known: newestOf(known),
    pending: known.filter(({ version }) => version > applied),
    undoable: applied > newestOf(known) ? [] : final === -1 ? done : done.slice(0, final),
  };
};

/**
 * Steps that lead down to schema `target`, the newest first; without a target the newest step alone. Faults:
 * SCHEMA_TOO_NEW when this release does not know the newest step, MIGRATION_TARGET for a target that is not below,
 * MIGRATION_FINAL for a step that cannot be undone.
 */
export const undoneMigrations = (
  known: readonly Migration[],
  applied: number,
  target = applied - 1,
): readonly Migration[] => {
  if (applied > newestOf(known)) throw schemaTooNew(applied, newestOf(known));
  if (!Number.isSafeInteger(target) || target < 0 || target >= applied)
    throw new Fault(
      'FAILED_PRECONDITION',
      'MIGRATION_TARGET',
      `the store has schema ${applied}: it can go down to a schema below that, not to ${target}`,
    );
  const steps = known.filter(({ version }) => version > target && version <= applied).reverse();
  const final = steps.find(({ down }) => down === undefined);
  if (final !== undefined)
    throw new Fault(
      'FAILED_PRECONDITION',
      'MIGRATION_FINAL',
      `migration ${final.version} (${final.name}) cannot be undone: restore a backup from before it`,
    );
  return steps;
};

/**
 * An engine that makes no copy of its own before a contracting step demands the operator's yes, or a backup under
 * 24 h old. Throws Fault FAILED_PRECONDITION BACKUP_NEEDED. Times are micros; 0 = never.
 */
export const requireBackup = (
  pending: readonly Migration[],
  facts: { readonly isAgreed: boolean; readonly lastBackupAt: number; readonly now: number },
): void => {
  const step = pending.find(({ isContracting }) => isContracting === true);
  const isFresh = facts.now - facts.lastBackupAt < BACKUP_HOURS * HOUR_MICROS;
  if (step === undefined || facts.isAgreed || isFresh) return;
  throw new Fault(
    'FAILED_PRECONDITION',
    'BACKUP_NEEDED',
    `migration ${step.version} (${step.name}) cannot be undone: make a backup first (svc backup), or run \`svc migrate up --yes\``,
  );
};
