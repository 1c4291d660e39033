import type { RegisterClusterRequest } from '@svc/api/external';
import { BadRequest } from './bad-request.ts';

/** One ConnectorClass that svc has registered here, and how to call back. */
export interface Registration {
  readonly id: string;
  readonly clusterId: string;
  readonly connectorClass: string;
  /** Without a slash at its end. */
  readonly callbackBaseUrl: string;
  readonly secret: string;
}

/** More classes than this cannot share a connector service: each event goes to all of them. */
const MAX_REGISTRATIONS = 16;

/**
 * The registrations in force. They are kept in memory only: after a restart the first call for one that is not here is answered
 * `unregistered`, and svc registers again.
 */
export class Registrations {
  readonly #held = new Map<string, Registration>();

  /** Takes a registration, in place of an earlier one with the same id. Throws BadRequest that names the wrong field. */
  add(request: RegisterClusterRequest): Registration {
    const registration = readRegistration(request);
    if (!this.#held.has(registration.id) && this.#held.size >= MAX_REGISTRATIONS)
      throw new BadRequest(429, `this connector service holds ${MAX_REGISTRATIONS} registrations already`);
    this.#held.set(registration.id, registration);
    return registration;
  }

  get(id: string): Registration | undefined {
    return this.#held.get(id);
  }

  /** Forgets a registration whose secret svc no longer accepts, unless a newer one has taken its place. */
  drop(registration: Registration): void {
    if (this.#held.get(registration.id) === registration) this.#held.delete(registration.id);
  }

  all(): readonly Registration[] {
    return [...this.#held.values()];
  }
}

function readRegistration(request: RegisterClusterRequest): Registration {
  const { registrationId, callbackBaseUrl, callbackAuthKind, callbackAuthKey } = request;
  if (registrationId.trim() === '') throw new BadRequest(400, 'registrationId is missing');
  if (callbackAuthKind !== 'bearer')
    throw new BadRequest(400, `callbackAuthKind "${callbackAuthKind}" is not "bearer"`);
  if (callbackAuthKey === '') throw new BadRequest(400, 'callbackAuthKey is missing');
  const url = URL.parse(callbackBaseUrl);
  if (url === null || !['http:', 'https:'].includes(url.protocol))
    throw new BadRequest(400, 'callbackBaseUrl is not an http or https address');
  return {
    id: registrationId,
    clusterId: request.clusterId,
    connectorClass: request.connectorClass,
    callbackBaseUrl: callbackBaseUrl.replace(/\/+$/, ''),
    secret: callbackAuthKey,
  };
}
