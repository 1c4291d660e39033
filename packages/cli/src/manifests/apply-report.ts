import { type ApplyManifestResult, ApplyOutcome } from '@svc/api/gateway';
import type { World } from '../world.ts';
import type { LocalDocument } from './manifest-documents.ts';

const WORDS: Readonly<Record<ApplyOutcome, string>> = {
  [ApplyOutcome.UNSPECIFIED]: 'unknown',
  [ApplyOutcome.CREATED]: 'created',
  [ApplyOutcome.UPDATED]: 'configured',
  [ApplyOutcome.UNCHANGED]: 'unchanged',
  [ApplyOutcome.REPAIRED]: 'repaired',
  [ApplyOutcome.PRUNED]: 'pruned',
  [ApplyOutcome.FAILED]: 'failed',
  [ApplyOutcome.NOT_ATTEMPTED]: 'not-attempted',
};

/** The documents' results come first and in their order; what was pruned follows. */
export const printReport = (
  world: World,
  shown: { readonly results: readonly ApplyManifestResult[]; readonly documents: readonly LocalDocument[] },
  form: 'table' | 'json',
): void => {
  const { results, documents } = shown;
  if (form === 'json')
    return world.stdout.write(
      `${JSON.stringify(
        results.map((result, index) => reportJson(result, documents[index])),
        undefined,
        2,
      )}\n`,
    );
  const rows = results.flatMap((result, index) => rowsOf(result, documents[index]));
  world.stdout.write(`${aligned(rows)}${totals(results)}\n`);
};

/** Columns side by side, the last one as long as it is. */
const aligned = (rows: readonly (readonly string[])[]): string => {
  const widths = [0, 1, 2].map((column) => Math.max(0, ...rows.map((row) => (row[column] ?? '').length)));
  return rows
    .map(
      (row) =>
        `${row
          .map((cell, column) => cell.padEnd(widths[column] ?? 0))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('');
};

const subject = ({ ns, name }: ApplyManifestResult): string => (ns === '' ? name : `${ns}/${name}`);

const rowsOf = (result: ApplyManifestResult, local: LocalDocument | undefined): readonly (readonly string[])[] => {
  const faults = result.fieldErrors.map(
    ({ field, description, reason }) =>
      `${local === undefined ? '' : `${local.place(field)} `}${field === '' ? '' : `${field}: `}${description} (${reason})`,
  );
  const [first = '', ...others] = faults;
  return [[WORDS[result.outcome], result.kind, subject(result), first], ...others.map((fault) => ['', '', '', fault])];
};

const reportJson = (result: ApplyManifestResult, local: LocalDocument | undefined): object => ({
  outcome: WORDS[result.outcome],
  kind: result.kind,
  namespace: result.ns,
  name: result.name,
  changedPaths: result.changedPaths,
  findings: result.fieldErrors.map(({ field, description, reason }) => ({
    ...(local === undefined ? {} : { place: local.place(field) }),
    field,
    description,
    reason,
  })),
});

const totals = (results: readonly ApplyManifestResult[]): string => {
  const counted = Object.values(WORDS).flatMap((word) => {
    const count = results.filter(({ outcome }) => WORDS[outcome] === word).length;
    return count === 0 ? [] : [`${count} ${word.replace('-', ' ')}`];
  });
  return counted.length === 0 ? 'nothing to do' : counted.join(', ');
};

/** How a report ends the command: nothing failed, everything did, or some of it. */
export const isFailed = (results: readonly ApplyManifestResult[]): boolean =>
  results.some(({ outcome }) => outcome === ApplyOutcome.FAILED);

/** True when a document is now as it says, whether that took a write or not. */
export const isApplied = (result: ApplyManifestResult | undefined): boolean =>
  result !== undefined && ![ApplyOutcome.FAILED, ApplyOutcome.NOT_ATTEMPTED].includes(result.outcome);

/** True when anything was written. */
export const isChanged = (results: readonly ApplyManifestResult[]): boolean =>
  results.some(({ outcome }) =>
    [ApplyOutcome.CREATED, ApplyOutcome.UPDATED, ApplyOutcome.REPAIRED, ApplyOutcome.PRUNED].includes(outcome),
  );
