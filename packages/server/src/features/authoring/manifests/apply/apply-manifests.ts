import { setImmediate as nextTurn } from 'node:timers/promises';
import { create } from '@bufbuild/protobuf';
import {
  type ApplyManifestResult,
  type ApplyManifestsRequest,
  type ApplyManifestsResponse,
  ApplyManifestsResponseSchema,
  ApplyOutcome,
} from '@svc/api/gateway';
import type { Resource } from '@svc/api/resources';
import type { CallContext } from '../../../../auth/contract.ts';
import { Fault, type FieldViolation, inTurns, violation } from '../../../../base/index.ts';
import { formatKey, isName, refusal } from '../../../../resources/index.ts';
import type { WriteTx } from '../../../../store/contracts/index.ts';
import type { ManifestsDeps } from '../manifests-deps.ts';
import { LARGE_TEXT_CHARACTERS, type ManifestTexts } from '../reading/index.ts';
import { showResources } from '../resource-shown.ts';
import { ApplyRun, type DocumentOutcome, type Step } from './apply-run.ts';
import { inOrder } from './apply-sequence.ts';
import { requireGrant } from './document-access.ts';
import { type InputDocument, readInput } from './manifest-input.ts';
import type { MergeCall } from './merge-write.ts';
import { rehearse } from './rehearsal.ts';

const DEFAULT_MANAGER = 'svc-cli';
const ATOMIC_MAX = 500;
const DOCUMENTS_MAX = 5_000;
/** Documents read before everybody else gets a turn. */
const STEPS_PER_TURN = 25;
/** Resources of the answer made before everybody else gets a turn. */
const SHOWN_PER_TURN = 100;
/** What of a refusal fits into headers. */
const DETAIL_MAX = 50;

/** Merges manifests into what is stored: in one transaction, or one by one. */
export const applyManifests = async (
  deps: ManifestsDeps & { readonly texts: ManifestTexts },
  request: ApplyManifestsRequest,
  context: CallContext,
): Promise<ApplyManifestsResponse> => {
  checkRequest(request);
  const documents = await readDocuments(deps.texts, request);
  const isWhole = request.atomic ?? true;
  checkCount(request, documents.length, isWhole);
  for (const document of documents) requireGrant(deps, document, context);
  const call = { deps, request, context, documents: inOrder(documents), isWhole };
  const outcomes = request.dryRun
    ? await rehearse(deps, { context, ...tried(documents, request) }, async (tx) => {
        await tx.inLine(places(call.documents));
        return run(call, savepoints(tx), () => tx.pause());
      })
    : await commit(call);
  return answer(deps, inInputOrder(outcomes), { context, isTransient: request.dryRun });
};

/** What the audit record of a dry run names. */
const tried = (
  documents: readonly InputDocument[],
  { ns }: ApplyManifestsRequest,
): { readonly target: string; readonly namespace: string } => {
  const [first] = documents;
  if (first === undefined || documents.length > 1) return { target: `${documents.length} manifests`, namespace: ns };
  const { kind, namespace, name } = first;
  return { target: formatKey({ kind, namespace, parent: '', name }), namespace };
};

/** A large text is read by a thread; what remains is done a document at a time, for one may have a megabyte. */
const readDocuments = async (
  texts: ManifestTexts,
  request: ApplyManifestsRequest,
): Promise<readonly InputDocument[]> => {
  const { text, manifests } = request;
  if (text.length <= LARGE_TEXT_CHARACTERS && manifests.length <= STEPS_PER_TURN)
    return inTurns(readInput(request), STEPS_PER_TURN);
  return inTurns(readInput(request, text === '' ? undefined : await texts.read(text)), 1);
};

interface ApplyCall {
  readonly deps: ManifestsDeps;
  readonly request: ApplyManifestsRequest;
  readonly context: CallContext;
  /** In the order of application. */
  readonly documents: readonly InputDocument[];
  readonly isWhole: boolean;
}

/** Documents of a rehearsal continue after one that failed, as if that one had not been there. */
const savepoints =
  (tx: WriteTx): Step =>
  (work) =>
    tx.savepoint(() => work(tx));

/** After a failure nothing of the transaction stays: the other documents are only checked for what else is wrong. */
const together =
  (tx: WriteTx): Step =>
  (work) =>
    work(tx);

const run = (
  { deps, request, context, documents, isWhole }: ApplyCall,
  step: Step,
  pause: () => Promise<void>,
): Promise<readonly DocumentOutcome[]> => {
  const call: MergeCall = {
    context,
    manager: request.manager === '' ? DEFAULT_MANAGER : request.manager,
    force: request.force,
    createNamespaces: request.createNamespaces ?? true,
    applySet: request.applySet,
    // Others would learn by trying which uids exist in namespaces that are not theirs: for them every uid counts as taken.
    keepsUids: request.keepUids && deps.authorizer.allows(context.caller, 'admin', {}),
  };
  return new ApplyRun(deps, step, { request, call, context, isWhole, pause }).run(documents);
};

const commit = (call: ApplyCall): Promise<readonly DocumentOutcome[]> => {
  const { deps, isWhole } = call;
  if (!isWhole)
    return run(
      call,
      (work) => deps.store.write(work),
      async () => undefined,
    );
  return deps.store.write(async (tx) => {
    await tx.inLine(places(call.documents));
    const outcomes = await run(call, together(tx), () => tx.pause());
    const failed = outcomes.find((outcome) => outcome.fault !== undefined);
    if (failed?.fault !== undefined) throw refused(failed.fault, inInputOrder(outcomes));
    return outcomes;
  });
};

/** Calls with documents of the same namespaces follow each other, in whatever order each has them. */
const places = (documents: readonly InputDocument[]): readonly string[] =>
  documents.map(({ kind, namespace, name }) => `apply/${kind === 'Namespace' ? name : namespace}`);

const checkRequest = (request: ApplyManifestsRequest): void => {
  const { manifests, text, manager, applySet, prune } = request;
  const faults = [
    ...(manifests.length > 0 && text !== '' ? [violation('text', 'manifests and text cannot both be given')] : []),
    ...(manager === '' || isName('plain', manager) ? [] : [violation('manager', 'must be a name')]),
    ...(manager.startsWith('deployment:') ? [violation('manager', 'belongs to deployments')] : []),
    ...(applySet === '' || isName('plain', applySet) ? [] : [violation('applySet', 'must be a name')]),
    ...(prune && applySet === '' ? [violation('applySet', 'name the set: --set NAME of svc apply')] : []),
  ];
  if (faults.length > 0) throw refusal(faults);
};

const checkCount = (request: ApplyManifestsRequest, count: number, isWhole: boolean): void => {
  const limit = isWhole ? ATOMIC_MAX : DOCUMENTS_MAX;
  const field = request.manifests.length > 0 ? 'manifests' : 'text';
  if (count > limit)
    throw refusal([{ field, description: `more than ${limit} documents in one call`, reason: 'TOO_MANY_DOCUMENTS' }]);
  if (count === 0 && request.prune && !request.allowEmpty)
    throw refusal([
      { field, description: 'nothing is left of the set: allow_empty deletes all of it', reason: 'INPUT_EMPTY' },
    ]);
};

/** Documents as they came, then what was pruned. */
const inInputOrder = (outcomes: readonly DocumentOutcome[]): readonly DocumentOutcome[] =>
  [...outcomes].sort((left, right) => place(left) - place(right));

const place = (outcome: DocumentOutcome): number => outcome.document?.index ?? Number.POSITIVE_INFINITY;

/** The refusal of a whole call: its first fault, every field that is wrong, and the outcomes as a further detail. */
const refused = (fault: Fault, outcomes: readonly DocumentOutcome[]): Fault => {
  const violations = outcomes.flatMap(violationsOf).slice(0, DETAIL_MAX);
  const undone = outcomes.map(({ result, fault: own }) =>
    own === undefined ? { ...result, outcome: ApplyOutcome.NOT_ATTEMPTED, changedPaths: [] } : result,
  );
  const shown = undone.length <= DETAIL_MAX ? undone : undone.filter(({ outcome }) => outcome === ApplyOutcome.FAILED);
  const cause = create(ApplyManifestsResponseSchema, { results: shown.slice(0, DETAIL_MAX) });
  const [first] = violations;
  const more = violations.length > 1 ? ` (and ${violations.length - 1} more)` : '';
  const message = `${first?.field}: ${first?.description}${more}`;
  const { code, reason, metadata } = fault;
  return new Fault(code, reason, message, { violations, metadata, cause });
};

const violationsOf = ({ document, result }: DocumentOutcome): readonly FieldViolation[] => {
  const { kind, ns, name } = result;
  const subject = [kind, ns, name].filter((part) => part !== '').join('/');
  return result.fieldErrors.map(({ field, description, reason, line, column }) => ({
    field: [`manifests[${document?.index ?? 0}]`, field].filter((part) => part !== '').join('.'),
    description: `${line === 0 ? '' : `${line}:${column}: `}${subject === '' ? '' : `${subject}: `}${description}`,
    reason,
  }));
};

/** The answer with the resources as they are now, as far as they fit. */
const answer = async (
  deps: ManifestsDeps,
  outcomes: readonly DocumentOutcome[],
  view: { readonly context: CallContext; readonly isTransient: boolean },
): Promise<ApplyManifestsResponse> => {
  let bytes = 0;
  const fitting = outcomes.filter(({ record }) => {
    bytes += record === undefined ? 0 : record.spec.length + record.status.length + 1_000;
    return record !== undefined && bytes <= deps.responseBytes;
  });
  const records = fitting.flatMap(({ record }) => (record === undefined ? [] : [record]));
  const shown: Resource[] = [];
  for (let at = 0; at < records.length; at += SHOWN_PER_TURN) {
    if (at > 0) await nextTurn();
    const some = { records: records.slice(at, at + SHOWN_PER_TURN), ...view };
    shown.push(...(await deps.store.read((tx) => showResources(deps, tx, some))));
  }
  const resources = new Map(fitting.map((outcome, index) => [outcome, shown[index]]));
  const results = outcomes.map((outcome): ApplyManifestResult => {
    const resource = resources.get(outcome);
    return resource === undefined ? outcome.result : { ...outcome.result, resource };
  });
  return create(ApplyManifestsResponseSchema, { results });
};
