import type { Message } from '@bufbuild/protobuf';
import { assert, type FieldViolation, type Ids, invalidField, oversize } from '../base/index.ts';
import {
  API_VERSION,
  formatKey,
  hasSensitiveFields,
  holdsHalfCharacter,
  keepSystemKeys,
  type LabelLimits,
  openRecord,
  refusal,
  resourceDeleting,
  resourceExists,
  resourceNotFound,
  sameMap,
  type UnseenWrite,
  unseenWrite,
  type ValueSeal,
  versionConflict,
} from '../resources/index.ts';
import type { ResourceDraft, ResourceKey, ResourceSection, StoredResource, WriteTx } from '../store/contracts/index.ts';
import {
  type DesiredResource,
  type KindContract,
  type ModifyInput,
  type NamespaceFacts,
  type RemoveInput,
  type RemoveResult,
  type ResourceWriter,
  type SpecWrite,
  type StatusChange,
  systemOrigin,
  type WriteInput,
  type WriteOrigin,
  type WriteOutcome,
  type WriteResult,
} from './contract.ts';
import { heldStatus, ResourceRemoval, type ResourceRemovalDeps } from './resource-removal.ts';
import { type KindForms, kindForms } from './spec-forms.ts';
import { storedText } from './stored-text.ts';
import {
  changedSections,
  checkMetadata,
  checkName,
  checkOwnerNamespaces,
  joinSystemKeys,
  keptUid,
  ownedNamespace,
  sameOwners,
  settleMap,
} from './write-rules.ts';

export interface ResourceWriterDeps extends ResourceRemovalDeps {
  readonly namespaces: NamespaceFacts;
  readonly ids: Ids;
  /** Encrypts the values of classes A and C; records hold them sealed. */
  readonly seal: ValueSeal;
  readonly limits: LabelLimits & { readonly resourceBytes: number };
  /** True when the origin may see the secret values of the resource. */
  readonly readsValues: (origin: WriteOrigin, key: ResourceKey) => boolean;
}

interface Pending {
  readonly origin: WriteOrigin;
  readonly input: WriteInput;
  readonly current: StoredResource | undefined;
}

/** Queue item that checks whether the owners of a resource exist; the payload is its key. */
export const GC_OWNERS = 'gc.owners';

/**
 * The write pipeline: form, defaults, rules of the kind, namespace gate, version check, side effects and audit record, all in
 * the caller's transaction. A write that changes nothing writes nothing.
 */
export class TransactionalResourceWriter implements ResourceWriter {
  readonly #deps: ResourceWriterDeps;
  readonly #removal: ResourceRemoval;

  constructor(deps: ResourceWriterDeps) {
    this.#deps = deps;
    this.#removal = new ResourceRemoval(deps);
  }

  async create(tx: WriteTx, origin: WriteOrigin, input: WriteInput): Promise<WriteResult> {
    const prepared = await this.#prepare(tx, { origin, input, current: undefined });
    await this.#requireLive(tx, input.key);
    if ((await tx.resources.get(input.key)) !== undefined) throw resourceExists(input.key);
    // The version was read from a resource that is gone: writing it would bring back what was deleted.
    if ((input.resourceVersion ?? '') !== '') throw resourceNotFound(input.key);
    return this.#save(tx, prepared);
  }

  async put(tx: WriteTx, origin: WriteOrigin, input: WriteInput): Promise<WriteResult> {
    const current = await tx.resources.get(input.key);
    const whole = { ...input, labels: input.labels ?? {}, annotations: input.annotations ?? {} };
    const prepared = await this.#prepare(tx, { origin, input: whole, current });
    await this.#requireOpen(tx, prepared);
    if (current === undefined && (input.resourceVersion ?? '') !== '') throw resourceNotFound(input.key);
    return this.#save(tx, prepared);
  }

  async modify(tx: WriteTx, origin: WriteOrigin, input: ModifyInput): Promise<WriteResult> {
    const current = await tx.resources.get(input.key);
    if (current === undefined) {
      await this.#requireLive(tx, input.key);
      throw resourceNotFound(input.key);
    }
    const { change, ...address } = input;
    const desired = await change(openRecord(current, this.#deps.seal));
    const prepared = await this.#prepare(tx, { origin, input: { ...desired, ...address }, current });
    await this.#requireOpen(tx, prepared);
    return this.#save(tx, prepared);
  }

  metadataFaults(
    wanted: DesiredResource,
    place: { readonly current: StoredResource | undefined; readonly path: string },
  ): readonly FieldViolation[] {
    return checkMetadata({ wanted, ...place, limits: this.#deps.limits });
  }

  async remove(tx: WriteTx, origin: WriteOrigin, input: RemoveInput): Promise<RemoveResult> {
    const current = await tx.resources.get(input.key);
    if (current === undefined) throw resourceNotFound(input.key);
    const isStripped = input.force === true && current.deletionTimestamp !== undefined;
    if (input.bySystem !== true && !isStripped) await this.#requireLive(tx, input.key);
    checkVersion(current, input.resourceVersion);
    if (input.bySystem !== true) await this.#contract(input.key.kind)?.admitRemoval?.(tx, current, origin);
    return this.#removal.remove(tx, origin, { ...input, current });
  }

  async writeStatus(
    tx: WriteTx,
    key: ResourceKey,
    change: (current: StoredResource) => StatusChange | undefined,
  ): Promise<StoredResource | undefined> {
    const current = await tx.resources.get(key);
    const wanted = current === undefined ? undefined : change(openRecord(current, this.#deps.seal));
    if (current === undefined || wanted === undefined) return current;
    const { status: message } = wanted;
    const forms = kindForms(key.kind, current.apiVersion);
    const judged = message === undefined ? current.status : this.#statusText(current, forms, message);
    const labels = settleMap(current.labels, undefined, wanted.system?.labels);
    const annotations = settleMap(current.annotations, undefined, wanted.system?.annotations);
    const finalizers = wanted.finalizers ?? current.finalizers;
    const status = heldStatus({ ...current, finalizers }, judged);
    const draft = { ...current, status, labels, annotations, finalizers };
    const sections = changedSections(current, draft);
    if (sections.length === 0) return current;
    const stored = await this.#replace(tx, current, { draft, sections });
    if (stored.deletionTimestamp === undefined || stored.finalizers.length > 0) return stored;
    const origin = systemOrigin('finalize');
    return (await this.#removal.remove(tx, origin, { key, current: stored, bySystem: true })).resource;
  }

  /** What holds a deleted resource may be taken away in a deleted namespace too: its purge waits for that. */
  async #requireOpen(tx: WriteTx, prepared: Prepared): Promise<void> {
    const { current, input } = prepared;
    if (current?.deletionTimestamp === undefined || !isRelease(current, prepared))
      await this.#requireLive(tx, input.key);
  }

  async #requireLive(tx: WriteTx, key: ResourceKey): Promise<void> {
    if (key.kind !== 'Namespace') await this.#deps.namespaces.requireLive(tx, key.namespace);
  }

  #contract(kind: string): KindContract | undefined {
    return this.#deps.contracts.get(kind);
  }

  /** Everything that needs no other row: form, defaults, kept values, all faults in one answer. */
  async #prepare(tx: WriteTx, pending: Pending): Promise<Prepared> {
    const { input, current } = pending;
    const apiVersion = input.apiVersion ?? current?.apiVersion ?? API_VERSION;
    const forms = kindForms(input.key.kind, apiVersion);
    const contract = apiVersion === API_VERSION ? this.#contract(input.key.kind) : undefined;
    assert(forms.row === undefined || contract !== undefined, `kind ${input.key.kind} has no contract`);
    const uid = current?.uid ?? (await keptUid(tx, input)) ?? this.#deps.ids.next();
    const spec = incomingSpec(forms, contract, this.#opened(pending));
    const plainText = forms.specText(spec);
    const place = { kind: input.key.kind, section: 'spec', uid } as const;
    const { fresh, annotations: unseen } = this.#unseen(forms, pending, plainText);
    const by = { seal: this.#deps.seal, stored: current?.spec, desc: forms.row?.spec, fresh };
    const specText = storedText(place, plainText, by);
    const isSpecChanged = current === undefined || specText !== current.spec;
    const write: SpecWrite<Message> = {
      key: input.key,
      spec,
      labels: input.labels ?? current?.labels ?? {},
      annotations: input.annotations ?? current?.annotations ?? {},
      current,
      generation: current === undefined ? 1 : current.generation + (isSpecChanged ? 1 : 0),
      isSpecChanged,
    };
    const path = input.metadataPath ?? 'metadata.';
    const faults = [
      ...(current === undefined ? checkName(forms.row?.names ?? 'plain', input.key, path) : []),
      ...this.metadataFaults(input, { current, path }),
      ...(contract?.validate(write, pending.origin) ?? []),
      ...(holdsHalfCharacter(plainText) ? invalidField('spec', 'holds half a character').violations : []),
      ...this.#checkSize(plainText, contract?.ownBounds?.(spec) ?? []),
      ...(await this.#checkOwners(tx, input, path)),
    ];
    if (faults.length > 0) throw refusal(faults);
    return { ...pending, uid, forms, contract, specText, write, apiVersion, unseen };
  }

  /**
   * Values that the origin wrote but may not read: they count as changed also where they are equal to the stored ones, so that no
   * answer tells whether a guess was right.
   */
  #unseen(forms: KindForms, { origin, input, current }: Pending, whole: string): UnseenWrite {
    const { key, given = input.spec } = input;
    const reads = hasSensitiveFields(key.kind) && this.#deps.readsValues(origin, key);
    return unseenWrite({
      kind: key.kind,
      annotations: current?.annotations ?? {},
      writer: origin.caller.grants === undefined ? 'program' : reads ? 'reader' : 'other',
      given: () => (given === undefined ? '{}' : forms.specText(given)),
      whole,
    });
  }

  #opened(pending: Pending): Pending {
    const { current } = pending;
    return current === undefined ? pending : { ...pending, current: openRecord(current, this.#deps.seal) };
  }

  #statusText(record: Pick<StoredResource, 'key' | 'uid' | 'status'>, forms: KindForms, status: Message): string {
    const place = { kind: record.key.kind, section: 'status', uid: record.uid } as const;
    const by = { seal: this.#deps.seal, stored: record.status, desc: forms.row?.status };
    return storedText(place, forms.statusText(status), by);
  }

  #checkSize(specText: string, ownBounds: readonly string[]): readonly FieldViolation[] {
    const limit = this.#deps.limits.resourceBytes;
    const size = Buffer.byteLength(specText);
    if (size <= limit) return [];
    const apart = ownBounds.reduce((sum, text) => sum + Buffer.byteLength(JSON.stringify(text)), 0);
    if (size - apart <= limit) return [];
    return [oversize('spec', limit, 'limits.resourceBytes')];
  }

  async #checkOwners(tx: WriteTx, input: WriteInput, path: string): Promise<readonly FieldViolation[]> {
    const { owners = [], key } = input;
    if (owners.length === 0) return [];
    if (key.kind === 'Namespace') return [ownedNamespace(path)];
    const ancestors = await this.#deps.namespaces.ancestors(tx, key.namespace);
    return checkOwnerNamespaces(owners, new Set([key.namespace, ...ancestors]), path);
  }

  async #save(tx: WriteTx, prepared: Prepared): Promise<WriteResult> {
    const { current, input, write, contract } = prepared;
    if (current !== undefined) {
      checkVersion(current, input.resourceVersion);
      checkDeletion(current, prepared);
    }
    // What a deleted resource refers to may be gone, and removing finalizers does not use it.
    if (current?.deletionTimestamp === undefined) await contract?.admit?.(tx, write, prepared.origin);
    const ofKind = joinSystemKeys(await contract?.systemKeys?.(tx, write), { annotations: prepared.unseen });
    const system = joinSystemKeys(ofKind, input.system);
    const labels = settleMap(current?.labels ?? {}, input.labels, system.labels);
    const annotations = settleMap(current?.annotations ?? {}, input.annotations, system.annotations);
    const parts = {
      spec: prepared.specText,
      labels,
      annotations,
      owners: input.owners ?? current?.owners ?? [],
      finalizers: input.finalizers ?? current?.finalizers ?? [],
    };
    if (current !== undefined && isSame(current, parts)) return { resource: current, outcome: 'unchanged' };
    const settled = { ...write, labels, annotations };
    const judged = await this.#status(tx, { ...prepared, write: settled });
    const status = current === undefined ? judged : heldStatus({ ...current, finalizers: parts.finalizers }, judged);
    const written = await this.#write(tx, prepared, { ...parts, status });
    await contract?.applied?.(tx, { ...settled, stored: written }, prepared.origin);
    const stored = (await contract?.settle?.(tx, written)) ?? written;
    return this.#finish(tx, prepared, stored);
  }

  async #status(tx: WriteTx, prepared: Prepared): Promise<string> {
    const { contract, current, forms, write } = prepared;
    if (contract?.observe !== undefined) {
      const status = await contract.observe(tx, { ...write, occasion: 'write' });
      return this.#statusText({ key: write.key, uid: prepared.uid, status: current?.status ?? '{}' }, forms, status);
    }
    return current?.status ?? forms.readyStatus(tx.now());
  }

  async #write(tx: WriteTx, prepared: Prepared, parts: WrittenParts): Promise<StoredResource> {
    const { current, input, write, apiVersion } = prepared;
    if (current !== undefined) {
      const draft = { ...current, ...parts, generation: write.generation };
      return this.#replace(tx, current, { draft, sections: changedSections(current, draft) });
    }
    const stored = await tx.resources.insert({
      key: input.key,
      apiVersion,
      uid: prepared.uid,
      generation: 1,
      createdAt: tx.now(),
      ...parts,
    });
    this.#hintLater(tx, stored);
    return stored;
  }

  async #replace(
    tx: WriteTx,
    current: StoredResource,
    next: { readonly draft: ResourceDraft; readonly sections: readonly ResourceSection[] },
  ): Promise<StoredResource> {
    const stored = await tx.resources.replace(next.draft, current.version, next.sections);
    if (stored === undefined) throw versionConflict(current.key, current.version);
    this.#hintLater(tx, stored);
    return stored;
  }

  async #finish(tx: WriteTx, prepared: Prepared, stored: StoredResource): Promise<WriteResult> {
    const { origin, current, input } = prepared;
    const outcome: WriteOutcome = current === undefined ? 'created' : 'updated';
    await this.#deps.audit(tx, origin, {
      target: formatKey(stored.key),
      namespace: stored.key.kind === 'Namespace' ? stored.key.name : stored.key.namespace,
      resourceVersion: String(stored.version),
      outcome,
    });
    if ((input.owners ?? []).length > 0) {
      const item = {
        kind: GC_OWNERS,
        key: stored.uid,
        dueAt: tx.steadyNow(),
        attempts: 0,
        payload: JSON.stringify(stored.key),
      };
      await tx.queue.put(item, { replace: true });
    }
    if (stored.deletionTimestamp !== undefined && stored.finalizers.length === 0)
      await this.#removal.remove(tx, origin, { key: stored.key, current: stored, bySystem: true });
    return { resource: stored, outcome };
  }

  #hintLater(tx: WriteTx, stored: StoredResource): void {
    tx.afterCommit(() => this.#deps.notify(stored.version));
  }
}

interface Prepared extends Pending {
  readonly uid: string;
  readonly forms: KindForms;
  readonly contract: KindContract | undefined;
  readonly specText: string;
  readonly write: SpecWrite<Message>;
  readonly apiVersion: string;
  readonly unseen: UnseenWrite['annotations'];
}

type WrittenParts = Pick<StoredResource, 'spec' | 'status' | 'labels' | 'annotations' | 'owners' | 'finalizers'>;

const incomingSpec = (forms: KindForms, contract: KindContract | undefined, pending: Pending): Message => {
  const { input, current } = pending;
  if (input.spec === undefined) return forms.readSpec(current?.spec ?? '{}');
  const kept = current === undefined ? input.spec : forms.keepMasked(current.spec, input.spec);
  return forms.normalise(contract?.defaults?.(kept, input.key, pending.current) ?? kept);
};

const checkVersion = (current: StoredResource, wanted: string | undefined): void => {
  if (wanted !== undefined && wanted !== '' && wanted !== String(current.version))
    throw versionConflict(current.key, current.version);
};

/** While deletion waits, only finalizers may go. */
const checkDeletion = (current: StoredResource, prepared: Prepared): void => {
  if (current.deletionTimestamp !== undefined && !isRelease(current, prepared)) throw resourceDeleting(current.key);
};

/** True for a write that changes nothing but removes finalizers; system keys stay when they are left out. */
const isRelease = (current: StoredResource, { input, specText }: Prepared): boolean =>
  specText === current.spec &&
  isSameSaid(current.labels, input.labels) &&
  isSameSaid(current.annotations, input.annotations) &&
  (input.owners === undefined || sameOwners(input.owners, current.owners)) &&
  (input.finalizers ?? []).every((name) => current.finalizers.includes(name));

const isSameSaid = (current: StoredResource['labels'], said: WriteInput['labels']): boolean =>
  said === undefined || sameMap(keepSystemKeys(current, said), current);

const isSame = (current: StoredResource, parts: Omit<WrittenParts, 'status'>): boolean =>
  current.spec === parts.spec &&
  sameMap(current.labels, parts.labels) &&
  sameMap(current.annotations, parts.annotations) &&
  sameOwners(current.owners, parts.owners) &&
  JSON.stringify(current.finalizers) === JSON.stringify(parts.finalizers);
