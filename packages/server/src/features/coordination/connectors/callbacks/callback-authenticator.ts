import {
  type Authenticator,
  type Caller,
  type CredentialCarrier,
  credentialsInvalid,
  credentialsMissing,
  parseAuthorization,
} from '../../../../auth/index.ts';
import type { ConnectorSecretRow, Store } from '../../../../store/contracts/index.ts';
import { findSecret } from './callback-secrets.ts';

export interface CallbackAuthenticatorDeps {
  readonly store: Pick<Store, 'direct' | 'steadyNow'>;
  /** The service has called with an issued secret, so it has the secret: its class is registered. */
  readonly arrived: (secret: ConnectorSecretRow) => Promise<void>;
}

/** Who calls back: a connector service, by the secret that it was registered with. Nothing else counts here, and the secret nowhere else. */
export class CallbackAuthenticator implements Authenticator {
  readonly #deps: CallbackAuthenticatorDeps;

  constructor(deps: CallbackAuthenticatorDeps) {
    this.#deps = deps;
  }

  async authenticate(carrier: CredentialCarrier): Promise<Caller> {
    const header = carrier.header('authorization');
    if (header === undefined) throw credentialsMissing();
    const credential = parseAuthorization(header);
    if (credential.scheme !== 'bearer') throw credentialsInvalid();
    const { store, arrived } = this.#deps;
    const secret = await findSecret(store.direct, credential.token, store.steadyNow());
    if (secret === undefined) throw credentialsInvalid();
    if (secret.state === 'issued') await arrived(secret);
    const { classUid, namespace, className } = secret;
    const identity = `connector-class:${namespace}/${className}`;
    return {
      identity,
      subject: identity,
      mode: 'callback',
      grants: [],
      registration: { classUid, namespace, className },
    };
  }
}
