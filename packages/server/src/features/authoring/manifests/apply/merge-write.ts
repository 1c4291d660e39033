import { create, type Message } from '@bufbuild/protobuf';
import { RawResourceSpecSchema } from '@svc/api/resources';
import type { CallContext } from '../../../../auth/contract.ts';
import { Fault, type FieldViolation } from '../../../../base/index.ts';
import type { DesiredResource, WriteResult } from '../../../../controllers/contract.ts';
import {
  canonicalJson,
  givenValues,
  hasSensitiveFields,
  isJsonMap,
  type JsonData,
  type JsonMap,
  keepSensitive,
  messageFromMap,
  messageText,
  parseJsonMap,
  resourceNotFound,
} from '../../../../resources/index.ts';
import type { ManifestResource } from '../../../../resources/manifest/index.ts';
import {
  type FieldConflict,
  fieldDigest,
  type MergeInput,
  type MergeResult,
  managedForm,
  managedParts,
  mergeFields,
  ownershipAfter,
  pointerParts,
  readOwnership,
  saveOwnership,
  withoutRemnants,
} from '../../../../resources/merge/index.ts';
import type { StoredResource, WriteTx } from '../../../../store/contracts/index.ts';
import type { ManifestsDeps } from '../manifests-deps.ts';
import { secretTarget } from '../resource-shown.ts';
import type { Applied, ApplyWrite } from './apply-document.ts';

/** Annotation that says to which apply set a resource belongs. */
const APPLY_SET = 'svc/apply-set';
/** The same as a private label, by which members are found. */
export const APPLY_SET_LABEL = 'svc/~apply-set';

export interface MergeCall {
  readonly context: CallContext;
  readonly manager: string;
  readonly force: boolean;
  readonly createNamespaces: boolean;
  /** '' = none. */
  readonly applySet: string;
  /** New resources get the uid of their document when it is free. */
  readonly keepsUids: boolean;
}

/** The write of a request that says some fields of a resource: merges them into what is stored, for a manager. */
export const mergeFieldByField =
  (deps: ManifestsDeps, tx: WriteTx, call: MergeCall): ApplyWrite<ManifestResource> =>
  ({ document: resource, before, holders }) => {
    const write = new MergeWrite(deps, tx, { resource, call, holders });
    return before === undefined ? write.insert() : write.modify(before);
  };

type Holders = Pick<DesiredResource, 'owners' | 'finalizers'>;
type Merged = WriteResult & Pick<Applied, 'isRepair'>;

class MergeWrite {
  readonly #deps: ManifestsDeps;
  readonly #tx: WriteTx;
  readonly #resource: ManifestResource;
  readonly #call: MergeCall;
  readonly #holders: Holders;

  constructor(
    deps: ManifestsDeps,
    tx: WriteTx,
    write: { readonly resource: ManifestResource; readonly call: MergeCall; readonly holders: Holders },
  ) {
    this.#deps = deps;
    this.#tx = tx;
    this.#resource = write.resource;
    this.#call = write.call;
    this.#holders = write.holders;
  }

  async insert(): Promise<Merged> {
    const { key, apiVersion, spec, metadata } = this.#resource;
    if (metadata.resourceVersion !== '') throw resourceNotFound(key);
    const { labels, annotations } = metadata;
    const uid = this.#call.keepsUids ? metadata.uid : '';
    const input = { key, apiVersion, spec, labels, annotations, uid, ...this.#holders, ...this.#system() };
    const written = await this.#deps.writer.create(this.#tx, this.#call.context, input);
    const merge = this.#input({}, written.resource.uid);
    await this.#own(written.resource, { merge, result: mergeFields(merge) });
    return { ...written, isRepair: false };
  }

  async modify(before: StoredResource): Promise<Merged> {
    const { key, metadata } = this.#resource;
    const ownership = await readOwnership(this.#tx, before.uid);
    let merged: { readonly merge: MergeInput; readonly result: MergeResult } | undefined;
    const change = (current: StoredResource): DesiredResource => {
      const live = managedForm(current, parseJsonMap(current.spec) ?? {});
      const merge = { ...this.#input(live, before.uid), wanted: this.#unmasked(live), ownership };
      const result = mergeFields(merge);
      if (result.conflicts.length > 0) throw fieldConflict(result.conflicts);
      merged = { merge, result };
      const form = withoutRemnants(merge, result, (spec) => this.#filled(spec));
      return { ...this.#desired(form), ...this.#holders, ...this.#system() };
    };
    const { resourceVersion } = metadata;
    const written = await this.#deps.writer.modify(this.#tx, this.#call.context, { key, resourceVersion, change });
    if (merged !== undefined) await this.#own(written.resource, merged);
    const { repaired = [], changed = [] } = merged?.result ?? {};
    return { ...written, isRepair: repaired.length > 0 && changed.length === 0 };
  }

  #input(live: JsonMap, uid: string): MergeInput {
    const { manager, force } = this.#call;
    const wanted = this.#resource.said;
    const isUnseen = this.#isUnseen();
    return { isUnseen, manager, force, wanted, live, ownership: {}, setsUnowned: true, digest: fieldDigest(uid) };
  }

  /** Which pointers hold values that the caller wrote and may not read; of a text with such values inside it is the text. */
  #isUnseen(): (pointer: string) => boolean {
    const { key, said } = this.#resource;
    const { authorizer } = this.#deps;
    const spec = said['spec'];
    if (!isJsonMap(spec) || authorizer.readsSecrets(this.#call.context.caller, secretTarget({ key })))
      return () => false;
    const unseen = [...givenValues(key, specMap(this.#resource, spec))].map((pointer) => `/spec${pointer}`);
    const texts = unseen.map((pointer) => pointer.replace(/^\/spec\/data\//, '/spec/stringData/'));
    return (pointer) => [...unseen, ...texts].some((each) => each === pointer || each.startsWith(`${pointer}/`));
  }

  /** What the document says, with live values where a masked read is written back: they were requested by no one. */
  #unmasked(live: JsonMap): JsonMap {
    const { said, row } = this.#resource;
    const [stored, spec] = [live['spec'], said['spec']];
    if (row === undefined || !isJsonMap(stored) || !isJsonMap(spec)) return said;
    return { ...said, spec: keepSensitive(row.kind, stored, spec) };
  }

  /** A spec with the defaults of its kind. */
  #filled(spec: JsonMap): JsonMap {
    const { row, key } = this.#resource;
    if (row === undefined) return spec;
    return parseJsonMap(messageText(row.spec, this.#deps.fill(key, specMessage(this.#resource, spec)))) ?? {};
  }

  #desired(merged: JsonMap): DesiredResource {
    const { labels, annotations, spec } = managedParts(merged);
    const said = this.#resource.said['spec'];
    const given = specMessage(this.#resource, isJsonMap(said) ? said : {});
    return { spec: specMessage(this.#resource, spec), given, labels, annotations };
  }

  #system(): Pick<DesiredResource, 'system'> {
    const { applySet } = this.#call;
    if (applySet === '') return {};
    return { system: { annotations: { [APPLY_SET]: applySet }, labels: { [APPLY_SET_LABEL]: applySet } } };
  }

  async #own(
    stored: StoredResource,
    merged: { readonly merge: MergeInput; readonly result: MergeResult },
  ): Promise<void> {
    const { merge, result } = merged;
    const live = managedForm(stored, this.#openSpec(stored));
    const after = ownershipAfter(merge, result, live);
    await saveOwnership(this.#tx, stored.uid, { before: merge.ownership, after });
  }

  /** The spec as written, with its values readable. */
  #openSpec(stored: StoredResource): JsonMap {
    const { row } = this.#resource;
    if (row === undefined || !hasSensitiveFields(row.kind)) return parseJsonMap(stored.spec) ?? {};
    const { spec } = this.#deps.views.generic(stored, { secrets: true, isTransient: true });
    return spec?.kind.value === undefined ? {} : (parseJsonMap(messageText(row.spec, spec.kind.value)) ?? {});
  }
}

/** A spec of a document in the form that is stored. */
const specMap = (resource: ManifestResource, spec: JsonMap): JsonMap =>
  resource.row === undefined ? spec : (parseJsonMap(messageText(resource.row.spec, specMessage(resource, spec))) ?? {});

const specMessage = (resource: ManifestResource, spec: JsonMap): Message => {
  const { row } = resource;
  if (row === undefined) return create(RawResourceSpecSchema, { json: canonicalJson(spec as JsonData) });
  return messageFromMap(row.spec, spec);
};

/** ABORTED CONFLICT with every field that somebody else manages. */
const fieldConflict = (conflicts: readonly FieldConflict[]): Fault => {
  const violations = conflicts.map(
    ({ pointer, manager }): FieldViolation => ({
      field: fieldPath(pointer),
      description: manager === '' ? 'has another value that no one manages' : `is managed by ${manager}`,
      reason: 'CONFLICT',
    }),
  );
  const [first] = violations;
  const text = `${first?.field}: ${first?.description}${violations.length > 1 ? ` (and ${violations.length - 1} more)` : ''}`;
  return new Fault('ABORTED', 'CONFLICT', text, { violations });
};

/** A pointer as a field path: keys of labels and annotations in brackets. */
const fieldPath = (pointer: string): string => {
  const parts = pointerParts(pointer);
  const [first = '', second = '', ...rest] = parts;
  if (first === 'metadata') return `metadata.${second}[${rest.join('/')}]`;
  return parts.join('.');
};
