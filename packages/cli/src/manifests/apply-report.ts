import { type ApplyManifestResult, ApplyOutcome } from '@svc/api/gateway';
import type { GlobalOptions } from '../connection.ts';
import { CommandFailure } from '../failure.ts';
import type { Host } from '../host.ts';
import { harmless, type Style, styleFor } from '../terminal/index.ts';
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

/** What a dry run says would happen to a document. */
const FUTURE: Readonly<Record<string, string>> = {
  created: 'would be created',
  configured: 'would be configured',
  repaired: 'would be repaired',
  pruned: 'would be pruned',
  failed: 'would fail',
};

/** The word for an outcome, in tables and in JSON. */
export const outcomeWord = (outcome: ApplyOutcome): string => WORDS[outcome];

/** Reads `-o` of commands that report on each document. */
export const formOf = ({ output }: Pick<GlobalOptions, 'output'>): 'table' | 'json' => {
  if (output === undefined || output === 'table') return 'table';
  if (output === 'json') return 'json';
  throw new CommandFailure(`there is no output form ${output} here`, { hint: 'table or json' });
};

interface ShownReport {
  readonly results: readonly ApplyManifestResult[];
  readonly documents: readonly LocalDocument[];
  /** Nothing was written: the report says what would happen. */
  readonly isDryRun?: boolean;
  /** False with --no-color. */
  readonly color?: boolean | undefined;
}

/** The results of the documents come first, in their order; pruned resources follow. */
export const printReport = (host: Host, shown: ShownReport, form: 'table' | 'json'): void => {
  const { results, documents, isDryRun = false } = shown;
  if (form === 'json')
    return host.stdout.write(
      `${JSON.stringify(
        results.map((result, index) => ({
          ...reportJson(result, documents[index]),
          ...(isDryRun ? { dryRun: true } : {}),
        })),
        undefined,
        2,
      )}\n`,
    );
  const wordOf = (outcome: ApplyOutcome): string => (isDryRun ? FUTURE[WORDS[outcome]] : undefined) ?? WORDS[outcome];
  const rows = results.flatMap((result, index) => rowsOf(result, documents[index], wordOf));
  const style = styleFor(host.stdout, host.environment, shown.color);
  const end = isDryRun ? ' (dry run: nothing was written)' : '';
  host.stdout.write(`${aligned(rows, style)}${totals(results, wordOf)}${end}\n`);
};

/** Colours of the word that opens a row. */
const paintWord = (style: Style, cell: string): string => {
  const word = cell.trim();
  if (/created$/.test(word)) return style.green(cell);
  if (/configured$|repaired$|pruned$/.test(word)) return style.yellow(cell);
  if (/^(?:would )?fail/.test(word)) return style.red(cell);
  return style.dim(cell);
};

/** Columns side by side; the last one keeps its full width. */
const aligned = (rows: readonly (readonly string[])[], style: Style): string => {
  const widths = [0, 1, 2].map((column) => Math.max(0, ...rows.map((row) => (row[column] ?? '').length)));
  return rows
    .map(
      (row) =>
        `${row
          .map((cell, column) => {
            const padded = harmless(cell).padEnd(widths[column] ?? 0);
            return column === 0 && cell !== '' ? paintWord(style, padded) : padded;
          })
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('');
};

const subject = ({ ns, name }: ApplyManifestResult): string => (ns === '' ? name : `${ns}/${name}`);

const rowsOf = (
  result: ApplyManifestResult,
  local: LocalDocument | undefined,
  wordOf: (outcome: ApplyOutcome) => string,
): readonly (readonly string[])[] => {
  const faults = result.fieldErrors.map(
    ({ field, description, reason }) =>
      `${local === undefined ? '' : `${local.place(field)} `}${field === '' ? '' : `${field}: `}${description} (${reason})`,
  );
  const [first = '', ...others] = faults;
  return [[wordOf(result.outcome), result.kind, subject(result), first], ...others.map((fault) => ['', '', '', fault])];
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

const totals = (results: readonly ApplyManifestResult[], wordOf: (outcome: ApplyOutcome) => string): string => {
  const counted = [...new Set(Object.keys(WORDS).map((outcome) => wordOf(Number(outcome))))].flatMap((word) => {
    const count = results.filter(({ outcome }) => wordOf(outcome) === word).length;
    return count === 0 ? [] : [`${count} ${word.replace('-', ' ')}`];
  });
  return counted.length === 0 ? 'nothing to do' : counted.join(', ');
};

/** The exit code: nothing failed, everything did, or some of it. */
export const isFailed = (results: readonly ApplyManifestResult[]): boolean =>
  results.some(({ outcome }) => outcome === ApplyOutcome.FAILED);

/** True when the resource is as the document says, whether that took a write or not. */
export const isApplied = (result: ApplyManifestResult | undefined): boolean =>
  result !== undefined && ![ApplyOutcome.FAILED, ApplyOutcome.NOT_ATTEMPTED].includes(result.outcome);

/** True when anything was written. */
export const isChanged = (results: readonly ApplyManifestResult[]): boolean =>
  results.some(({ outcome }) =>
    [ApplyOutcome.CREATED, ApplyOutcome.UPDATED, ApplyOutcome.REPAIRED, ApplyOutcome.PRUNED].includes(outcome),
  );
