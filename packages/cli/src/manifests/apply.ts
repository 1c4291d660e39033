import type { MessageInitShape } from '@bufbuild/protobuf';
import { type ApplyManifestResult, type ApplyManifestsRequestSchema, ApplyOutcome } from '@svc/api/gateway';
import { isSvcError } from '@svc/client';
import { type CommandContext, openContext } from '../context.ts';
import { CommandFailure, exitCodes } from '../failure.ts';
import type { Host } from '../host.ts';
import { counted } from '../terminal/index.ts';
import { applyInBatches, batchesOf } from './apply-batches.ts';
import { formOf, isApplied, isChanged, isFailed, printReport } from './apply-report.ts';
import { contentsOf, noteBareFiles, sendContents } from './file-contents.ts';
import {
  type LoadedManifests,
  loadManifests,
  type ManifestOptions,
  manifestText,
  requireNoFindings,
} from './manifest-documents.ts';
import { warnOfNotExecuted } from './not-executed.ts';
import { confirmPrune, requireSet } from './prune.ts';
import { waitUntilReady } from './wait-until-ready.ts';

export interface ApplyOptions extends ManifestOptions {
  readonly manager?: string;
  readonly forceConflicts?: boolean;
  readonly dryRun?: string | boolean;
  /** False with --no-atomic. */
  readonly atomic?: boolean;
  readonly keepGoing?: boolean;
  /** False with --no-create-namespaces. */
  readonly createNamespaces?: boolean;
  readonly set?: string;
  readonly prune?: boolean;
  readonly pruneNamespaces?: boolean;
  readonly allowEmpty?: boolean;
  readonly yes?: boolean;
  /** Longest wait for applied resources to become ready, such as `5m`; true for five minutes. */
  readonly wait?: string | boolean;
}

/** Documents that one transaction takes. */
export const ATOMIC_MAX = 500;

type Request = MessageInitShape<typeof ApplyManifestsRequestSchema>;

/** Error reasons that only the command line itself raises. */
const LOCAL: ReadonlySet<string> = new Set([
  'SYNTAX',
  'DUPLICATE_KEY',
  'TAG',
  'ALIAS',
  'TOO_LARGE',
  'TOO_MANY_DOCUMENTS',
  'VARIABLE',
  'FILE_MISSING',
  'NAMESPACE_MISMATCH',
  'DUPLICATE_DOCUMENT',
]);

/** `svc apply -f`: exit code 0 all applied, 1 none, 2 some, 3 no connection. */
export const apply = async (host: Host, options: ApplyOptions): Promise<void> => {
  if (options.prune === true) requireSet(options);
  const loaded = await loadManifests(host, options);
  const isWhole = options.atomic !== false;
  if (isWhole || options.dryRun === 'client' || loaded.findings.some(({ reason }) => LOCAL.has(reason)))
    requireNoFindings(loaded, 'nothing was applied');
  const form = formOf(options);
  if (options.dryRun === 'client')
    return host.stdout.write(
      `${counted(loaded.documents.length, 'document is', 'documents are')} well formed; nothing was sent\n`,
    );
  if (isWhole && loaded.documents.length > ATOMIC_MAX)
    throw new CommandFailure(
      `${loaded.documents.length} documents are too many for one whole, which has ${ATOMIC_MAX}`,
      { hint: '--no-atomic applies them one by one' },
    );
  const context = await openContext(host, options);
  const request = await requestOf(host, loaded, options);
  if (options.prune === true && options.yes !== true && request.dryRun !== true) await confirmPrune(context, request);
  const { results, isRefused } = await call(context, request, loaded);
  const isDryRun = request.dryRun === true;
  printReport(host, { results, documents: loaded.documents, isDryRun, color: options.color }, form);
  if (!isRefused && !isDryRun) await warnOfNotExecuted(context, results);
  let sent = 0;
  if (request.dryRun !== true && !isRefused) {
    // Without --atomic some may be applied although others failed.
    const tried = loaded.documents.map((local, index) => ({ local, result: results[index] }));
    const { contents, bare } = contentsOf(tried.filter(({ result }) => isApplied(result)));
    sent = await sendContents(context, contents);
    await noteBareFiles(context, bare);
  }
  if (!isFailed(results) && !isRefused)
    return request.dryRun === true ? undefined : waitUntilReady(context, results, options.wait);
  const isPartial = (isChanged(results) || sent > 0) && request.dryRun !== true && !isRefused;
  throw new CommandFailure(isPartial ? 'only some of it was applied' : 'nothing was applied', {
    exitCode: isPartial ? exitCodes.partial : exitCodes.refused,
  });
};

/** The request of ApplyManifests. */
export const requestOf = async (host: Host, loaded: LoadedManifests, options: ApplyOptions): Promise<Request> => {
  const { dryRun = false } = options;
  if (typeof dryRun === 'string' && dryRun !== 'server')
    throw new CommandFailure(`--dry-run=${dryRun} is not known`, { hint: 'client or server' });
  return {
    text: await manifestText(host, loaded.documents),
    ns: loaded.namespace,
    manager: options.manager ?? '',
    force: options.forceConflicts === true,
    dryRun: dryRun !== false,
    atomic: options.atomic !== false,
    keepGoing: options.keepGoing === true,
    createNamespaces: options.createNamespaces !== false,
    applySet: options.set ?? '',
    prune: options.prune === true,
    pruneNamespaces: options.pruneNamespaces === true,
    allowEmpty: options.allowEmpty === true,
    keepUids: options.keepsUids === true,
  };
};

const REFUSALS: ReadonlySet<string> = new Set([
  'INVALID_ARGUMENT',
  'FAILED_PRECONDITION',
  'ABORTED',
  'NOT_FOUND',
  'ALREADY_EXISTS',
  'RESOURCE_EXHAUSTED',
]);

/**
 * Documents that need not be one transaction may take several calls. A refusal lists only what fits into an error; a dry run of the
 * same input lists it for each document.
 */
const call = async (
  context: CommandContext,
  request: Request,
  { documents }: LoadedManifests,
): Promise<{ readonly results: readonly ApplyManifestResult[]; readonly isRefused: boolean }> => {
  const { client } = context;
  // A prune needs the whole input in one call, and so does a dry run, which leaves nothing for a later call to see.
  if (request.atomic === false && request.prune !== true && request.dryRun !== true) {
    const batches = await batchesOf(context, documents);
    if (batches.length > 1)
      return { results: await applyInBatches(context, request, { documents, batches }), isRefused: false };
  }
  try {
    return { results: (await client.resources.applyManifests(request)).results, isRefused: false };
  } catch (error) {
    if (request.dryRun === true || !isSvcError(error) || !REFUSALS.has(error.code)) throw error;
    const { results } = await client.resources.applyManifests({ ...request, dryRun: true });
    if (!isFailed(results)) throw error;
    const undone = results.map((result) =>
      result.outcome === ApplyOutcome.FAILED ? result : { ...result, outcome: ApplyOutcome.NOT_ATTEMPTED },
    );
    return { results: undone, isRefused: true };
  }
};
