import { recordKey } from '../../../resources/index.ts';
import type { Store, StoredResource } from '../../../store/contracts/index.ts';
import type { ClassIdentity, ClassPlace, Health, Registrations } from './outbox/index.ts';
import {
  changeClass,
  classState,
  type RegistrarDeps,
  registerAgain,
  TRUSTED_NAMESPACE,
  wantedRegistration,
} from './registration/index.ts';

/** The registrations of classes as deliveries and signals need them. */
export class ClassRegistrations implements Registrations {
  readonly #deps: RegistrarDeps & { readonly store: Pick<Store, 'direct' | 'write'> };

  constructor(deps: RegistrarDeps) {
    this.#deps = deps;
  }

  /** What is registered stays in force while later attempts fail; the endpoint and the credential are those of the class now. */
  async placeOf(identity: ClassIdentity): Promise<ClassPlace> {
    const record = await this.#deps.store.direct.resources.get(keyOf(identity));
    if (record?.uid !== identity.uid) return { state: 'deleted' };
    const { registered, deliveries } = classState(record.annotations);
    if (registered === undefined)
      return { state: 'waiting', reason: 'NO_REGISTRATION: the class is not registered with its service' };
    return this.#placeOf(record, { version: String(registered.at), health: deliveries?.reason ?? '' });
  }

  async #placeOf(
    record: StoredResource,
    known: { readonly version: string; readonly health: string },
  ): Promise<ClassPlace> {
    const wanted = await wantedRegistration(this.#deps, record);
    if ('problem' in wanted) return { state: 'waiting', reason: `CREDENTIAL_UNAVAILABLE: ${wanted.problem}` };
    const { endpoint, apiKey = '' } = wanted;
    return {
      state: 'open',
      ...known,
      place: { endpoint, apiKey, isTrusted: record.key.namespace === TRUSTED_NAMESPACE },
    };
  }

  /** The registration stays in force: the service may know it again before the attempt ends. */
  async renew(identity: ClassIdentity): Promise<void> {
    const classOf = { key: keyOf(identity), uid: identity.uid };
    await this.#deps.store.write((tx) => registerAgain(this.#deps, tx, classOf));
  }

  async showHealth(identity: ClassIdentity, health: Health): Promise<void> {
    const classOf = { key: keyOf(identity), uid: identity.uid };
    await this.#deps.store.write((tx) =>
      changeClass({ deps: this.#deps, tx }, classOf, (state) => ({ ...state, deliveries: health })),
    );
  }
}

const keyOf = ({ namespace, name }: ClassIdentity) => recordKey('ConnectorClass', namespace, name);
