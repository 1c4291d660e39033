import { isFault } from '../../../../base/index.ts';
import { isSealed, type ValueHash, type ValueSeal } from '../../../../resources/index.ts';
import type { StoredResource } from '../../../../store/contracts/index.ts';
import type { RegisteredAs } from './class-state.ts';
import { classSpec, UNOPENED } from './class-status.ts';

export interface WantedDeps {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The value behind a reference; throws a Fault that names no value. */
  readonly secret: (namespace: string, reference: string) => Promise<string>;
  readonly seal: Pick<ValueSeal, 'open'> & ValueHash;
  /** Address of this server as connector services reach it, without a slash at the end. */
  readonly baseUrl: () => string;
  readonly clusterId: string;
}

/** How a class is to be registered, or why that cannot be known. */
export type WantedRegistration =
  | { readonly as: RegisteredAs; readonly endpoint: string; readonly apiKey: string | undefined }
  | { readonly problem: string };

/** Annotation by which people ask for another registration: any new value does. */
const REREGISTER = 'option.svc/reregister';
const CALLBACKS = '/v1/connectors';

const hashPlace = (uid: string): string => `connector-class/${uid}`;

/** What the class is to be registered as now. */
export const wantedRegistration = async (deps: WantedDeps, record: StoredResource): Promise<WantedRegistration> => {
  const spec = classSpec(record, deps.seal);
  const credential = await readCredential(deps, record.key.namespace, spec.auth?.apiKey);
  if ('problem' in credential) return credential;
  const { apiKey } = credential;
  return {
    as: {
      generation: record.generation,
      baseUrl: `${deps.baseUrl()}${CALLBACKS}`,
      clusterId: deps.clusterId,
      reregister: record.annotations[REREGISTER] ?? '',
      credential: apiKey === undefined ? '' : deps.seal.hash(hashPlace(record.uid), apiKey),
    },
    endpoint: spec.runtime?.endpoint ?? '',
    apiKey,
  };
};

const readCredential = async (
  { environment, secret }: WantedDeps,
  namespace: string,
  source: { readonly plain?: string | undefined; readonly env?: string | undefined } | undefined,
): Promise<{ readonly apiKey: string | undefined } | { readonly problem: string }> => {
  if (source === undefined) return { apiKey: undefined };
  if (source.env !== undefined) {
    const value = (environment[source.env] ?? '').trim();
    return value === '' ? { problem: `variable ${source.env} is not set` } : { apiKey: value };
  }
  const plain = source.plain ?? '';
  // What cannot be opened stays sealed; it is not a credential and must not leave the server.
  if (isSealed(plain)) return { problem: UNOPENED };
  if (!plain.startsWith('secret://')) return { apiKey: plain };
  try {
    return { apiKey: await secret(namespace, plain) };
  } catch (error) {
    if (!isFault(error) || error.reason !== 'SECRET_NOT_FOUND') throw error;
    return { problem: `${plain} does not resolve` };
  }
};

/** Whether a registration is the wanted one: the same credential may have two hashes, one by a former key. */
export const isRegisteredAs = (
  { seal }: Pick<WantedDeps, 'seal'>,
  known: RegisteredAs | undefined,
  wanted: { readonly as: RegisteredAs; readonly apiKey: string | undefined; readonly uid: string },
): boolean => {
  const { as, apiKey, uid } = wanted;
  if (known === undefined) return false;
  const isSame =
    known.generation === as.generation &&
    known.baseUrl === as.baseUrl &&
    known.clusterId === as.clusterId &&
    known.reregister === as.reregister;
  if (!isSame) return false;
  return apiKey === undefined ? known.credential === '' : seal.isHashOf(known.credential, hashPlace(uid), apiKey);
};
