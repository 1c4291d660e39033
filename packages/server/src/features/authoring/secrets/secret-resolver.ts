import { BoundedCache, Fault } from '../../../base/index.ts';
import {
  isJsonMap,
  openRecord,
  parseJsonMap,
  parseSecretReference,
  recordKey,
  SYSTEM_NAMESPACE,
  type ValueSeal,
} from '../../../resources/index.ts';
import type { ReadTx, Store, StoredResource } from '../../../store/contracts/index.ts';

type Reads = Pick<ReadTx, 'resources'>;

interface SecretResolverDeps {
  readonly store: Pick<Store, 'direct'>;
  readonly seal: Pick<ValueSeal, 'open'>;
  /** The namespace and its ancestors, nearest first, tombstones left out. */
  readonly lineage: (reads: Reads, namespace: string) => Promise<readonly string[]>;
}

/** Who asks: model provider keys may also live in `system`. */
interface SecretUse {
  readonly isProviderKey?: boolean;
}

const INHERITABLE = 'option.svc/inheritable';
const ENTRIES = 5_000;

/**
 * Values behind `secret://name/key`, for code that uses them: from the referrer's namespace, else the nearest
 * ancestor whose Secret is inheritable; never a sibling's. Decrypted values are cached until their Secret changes.
 */
export class SecretResolver {
  readonly #deps: SecretResolverDeps;
  readonly #values = new BoundedCache<
    string,
    { readonly version: number; readonly values: ReadonlyMap<string, string> }
  >(ENTRIES);

  constructor(deps: SecretResolverDeps) {
    this.#deps = deps;
  }

  /** Throws FAILED_PRECONDITION SECRET_NOT_FOUND; its text names no value. */
  async resolve(namespace: string, reference: string, use: SecretUse = {}): Promise<string> {
    const found = await this.#find(this.#deps.store.direct, { namespace, reference, use });
    if ('problem' in found) throw secretNotFound(namespace, reference, found.problem);
    return found.value;
  }

  /** Why a reference does not resolve, for conditions; undefined when it does. */
  async problem(reads: Reads, namespace: string, reference: string): Promise<SecretProblem | undefined> {
    const found = await this.#find(reads, { namespace, reference, use: {} });
    return 'problem' in found ? found.problem : undefined;
  }

  async #find(
    reads: Reads,
    wanted: { readonly namespace: string; readonly reference: string; readonly use: SecretUse },
  ): Promise<{ readonly value: string } | { readonly problem: SecretProblem }> {
    const target = parseSecretReference(wanted.reference);
    if (target === undefined) return { problem: 'Malformed' };
    const record = await this.#record(reads, { ...wanted, name: target.name });
    if (record === undefined) return { problem: 'SecretMissing' };
    const value = this.#valuesOf(record).get(target.key);
    if (value !== undefined) return { value };
    const isStored = isJsonMap(dataOf(record)) && Object.hasOwn(dataOf(record), target.key);
    return { problem: isStored ? 'NotDecryptable' : 'SecretKeyMissing' };
  }

  async #record(
    reads: Reads,
    wanted: { readonly namespace: string; readonly name: string; readonly use: SecretUse },
  ): Promise<StoredResource | undefined> {
    const { namespace, name, use } = wanted;
    for (const candidate of await this.#deps.lineage(reads, namespace)) {
      const record = await reads.resources.get(recordKey('Secret', candidate, name));
      if (record === undefined) continue;
      if (candidate === namespace || record.annotations[INHERITABLE] === 'true') return record;
    }
    if (use.isProviderKey !== true) return undefined;
    return reads.resources.get(recordKey('Secret', SYSTEM_NAMESPACE, name));
  }

  #valuesOf(record: StoredResource): ReadonlyMap<string, string> {
    const known = this.#values.get(record.uid);
    if (known !== undefined && known.version === record.version) return known.values;
    const opened = dataOf(openRecord(record, this.#deps.seal));
    const values = new Map<string, string>();
    for (const [key, value] of Object.entries(opened))
      if (typeof value === 'string' && !value.includes(':')) values.set(key, Buffer.from(value, 'base64').toString());
    this.#values.set(record.uid, { version: record.version, values });
    return values;
  }
}

/** Why a reference does not resolve, as condition reasons say it. */
type SecretProblem = 'Malformed' | 'SecretMissing' | 'SecretKeyMissing' | 'NotDecryptable';

const PROBLEMS: Readonly<Record<SecretProblem, string>> = {
  Malformed: 'is not secret://name/key',
  SecretMissing: 'names no secret that is visible here',
  SecretKeyMissing: 'names a key that the secret does not have',
  NotDecryptable: 'cannot be decrypted: its key is missing',
};

const secretNotFound = (namespace: string, reference: string, problem: SecretProblem): Fault =>
  new Fault('FAILED_PRECONDITION', 'SECRET_NOT_FOUND', `secret reference ${reference} ${PROBLEMS[problem]}`, {
    metadata: { ns: namespace, reference },
  });

const dataOf = (record: StoredResource) => {
  const data = parseJsonMap(record.spec)?.['data'];
  return isJsonMap(data) ? data : {};
};
