import { create } from '@bufbuild/protobuf';
import {
  type ApplyManifestResult,
  ApplyManifestResultSchema,
  type ApplyManifestsRequest,
  ApplyOutcome,
  type FieldError,
} from '@svc/api/gateway';
import type { CallContext } from '../../../../auth/contract.ts';
import { Fault } from '../../../../base/index.ts';
import type { StoredResource, WriteTx } from '../../../../store/contracts/index.ts';
import type { ManifestsDeps } from '../manifests-deps.ts';
import { applyDocument } from './apply-document.ts';
import { changeOf, fieldErrors, isRefusal } from './apply-outcome.ts';
import { prunable, pruneOne } from './apply-set.ts';
import { mayChange, withoutChange } from './document-access.ts';
import type { InputDocument } from './manifest-input.ts';
import { type MergeCall, mergeFieldByField } from './merge-write.ts';

export interface DocumentOutcome {
  readonly document: InputDocument | undefined;
  readonly result: ApplyManifestResult;
  /** As written; absent where nothing was. */
  readonly record?: StoredResource;
  readonly fault?: Fault;
}

/** Runs a piece of work so that a refusal undoes only this piece. */
export type Step = <T>(work: (tx: WriteTx) => Promise<T>) => Promise<T>;

/** Documents applied in one transaction before everybody else gets a turn. */
const DOCUMENTS_PER_TURN = 20;

export interface RunRules {
  readonly request: ApplyManifestsRequest;
  readonly call: MergeCall;
  readonly context: CallContext;
  /** Collects further refusals after the first; what else fails then may only follow from it. */
  readonly isWhole: boolean;
  /** Lets others run, where all documents are one transaction. */
  readonly pause: () => Promise<void>;
}

/** Applies documents one after the other, then prunes; every document gets an outcome. */
export class ApplyRun {
  readonly #deps: ManifestsDeps;
  readonly #step: Step;
  readonly #rules: RunRules;
  readonly #outcomes: DocumentOutcome[] = [];
  #failed = false;

  constructor(deps: ManifestsDeps, step: Step, rules: RunRules) {
    this.#deps = deps;
    this.#step = step;
    this.#rules = rules;
  }

  async run(documents: readonly InputDocument[]): Promise<readonly DocumentOutcome[]> {
    for (const [index, document] of documents.entries()) {
      if (index % DOCUMENTS_PER_TURN === DOCUMENTS_PER_TURN - 1) await this.#rules.pause();
      this.#outcomes.push(await this.#apply(document));
    }
    if (this.#rules.request.prune && !this.#failed) await this.#prune(documents);
    return this.#outcomes;
  }

  async #apply(document: InputDocument): Promise<DocumentOutcome> {
    const { request, isWhole, call } = this.#rules;
    const { resource, errors } = document;
    const isStopped = this.#failed && !request.keepGoing;
    if (isStopped && !isWhole) return plainOutcome(document, ApplyOutcome.NOT_ATTEMPTED);
    if (resource === undefined) return this.#refused(document, formFault(document), errors);
    try {
      const { context } = this.#rules;
      const rules = {
        context,
        createsNamespaces: call.createNamespaces,
        namespaceField: 'metadata.namespace',
      } as const;
      const merge = (tx: WriteTx) =>
        applyDocument(this.#deps, tx, { document: resource, rules, write: mergeFieldByField(this.#deps, tx, call) });
      const applied = await this.#step((tx) =>
        mayChange(this.#deps, document, context) ? merge(tx) : withoutChange(tx, merge, { document, context }),
      );
      const { outcome, changedPaths } = changeOf(applied);
      return { document, record: applied.resource, result: resultOf(document, outcome, { changedPaths }) };
    } catch (error) {
      if (!isRefusal(error)) throw error;
      if (isStopped && error.code !== 'INVALID_ARGUMENT') return plainOutcome(document, ApplyOutcome.NOT_ATTEMPTED);
      return this.#refused(document, error, fieldErrors(error).map(document.place));
    }
  }

  #refused(document: InputDocument, fault: Fault, errors: readonly FieldError[]): DocumentOutcome {
    this.#failed = true;
    return { document, fault, result: resultOf(document, ApplyOutcome.FAILED, { fieldErrors: [...errors] }) };
  }

  async #prune(documents: readonly InputDocument[]): Promise<void> {
    const { request, context } = this.#rules;
    const kept = documents.flatMap(({ resource }) => (resource === undefined ? [] : [resource.key]));
    const question = { applySet: request.applySet, context, kept, namespaces: request.pruneNamespaces };
    const members = await this.#step((tx) => prunable(this.#deps, tx, question));
    for (const record of members) this.#outcomes.push(await this.#pruneOne(record));
  }

  async #pruneOne(record: StoredResource): Promise<DocumentOutcome> {
    const { context, request } = this.#rules;
    const { kind, namespace: ns, name } = record.key;
    const result = (outcome: ApplyOutcome, errors: readonly FieldError[] = []): ApplyManifestResult =>
      create(ApplyManifestResultSchema, { kind, ns, name, outcome, fieldErrors: [...errors] });
    if (this.#failed && !request.keepGoing) return { document: undefined, result: result(ApplyOutcome.NOT_ATTEMPTED) };
    try {
      await this.#step((tx) => pruneOne(this.#deps, tx, { record, context }));
      return { document: undefined, result: result(ApplyOutcome.PRUNED) };
    } catch (error) {
      if (!isRefusal(error)) throw error;
      this.#failed = true;
      return { document: undefined, fault: error, result: result(ApplyOutcome.FAILED, fieldErrors(error)) };
    }
  }
}

const formFault = (document: InputDocument): Fault => {
  const violations = document.errors.map(({ field, description, reason }) => ({ field, description, reason }));
  const [first] = violations;
  return new Fault('INVALID_ARGUMENT', 'FIELD_INVALID', `${first?.field}: ${first?.description}`, { violations });
};

const resultOf = (document: InputDocument, outcome: ApplyOutcome, more: object): ApplyManifestResult => {
  const { kind, namespace: ns, name } = document;
  return create(ApplyManifestResultSchema, { kind, ns, name, outcome, ...more });
};

/** An outcome that says nothing more. */
const plainOutcome = (document: InputDocument, outcome: ApplyOutcome): DocumentOutcome => ({
  document,
  result: resultOf(document, outcome, {}),
});
