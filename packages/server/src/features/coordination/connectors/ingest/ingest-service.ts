import {
  type ConnectorMessageEvent,
  type ConnectorMessageEventResponse,
  ConnectorMessageEventStatus as Status,
} from '@svc/api/external';
import type { CallContext } from '../../../../auth/contract.ts';
import { Fault, invalidFields } from '../../../../base/index.ts';
import type { ObjectData } from '../../../../runtime/contract.ts';
import type { Store, StoredResource } from '../../../../store/contracts/index.ts';
import { type AttachmentDeps, settleEventAttachments } from '../attachments/index.ts';
import { registrationOf, requireLiveClass, requireRegistration } from '../live-class.ts';
import { findRoute } from '../routes/index.ts';
import { checkEvent, type EventLimits, ignoredReason } from './event-rules.ts';
import { duplicate, eventAnswer, type TakeEventDeps, takeEvent } from './take-event.ts';

export interface IngestDeps extends TakeEventDeps, AttachmentDeps {
  readonly store: Pick<Store, 'write' | 'direct'>;
  readonly limits: TakeEventDeps['limits'] & EventLimits;
}

/**
 * Takes events of connector services. An accepted one is kept together with everything that it begins, in one transaction: of any number
 * of copies one is accepted, and each other one waits for it and is answered as a duplicate. What is not accepted leaves nothing behind.
 */
export class IngestService {
  readonly #deps: IngestDeps;

  constructor(deps: IngestDeps) {
    this.#deps = deps;
  }

  async ingest(event: ConnectorMessageEvent, call: CallContext): Promise<ConnectorMessageEventResponse> {
    const { store, limits } = this.#deps;
    const registration = registrationOf(call.caller);
    requireRegistration(registration, event.registrationId);
    const record = await requireLiveClass(this.#deps, store.direct, registration);
    requireClass(event, record);
    const violations = checkEvent(event, limits);
    if (violations.length > 0) throw invalidFields(violations);
    const key = { classUid: record.uid, eventId: event.eventId };
    const known = await store.direct.connectorEvents.get(key);
    if (known !== undefined) return duplicate(known.body);
    const ignored = ignoredReason(event);
    if (ignored !== '') return eventAnswer(Status.IGNORED, ignored);
    const attachments = await eventAttachments(this.#deps, event, record);
    const transact = store.write.bind(store);
    return (await takeEvent(this.#deps, { transact }, { event, registration, attachments })).answer;
  }
}

/** The objects of an event. Files of the connector's namespace count too, so its route is needed to look them up. */
export const eventAttachments = async (
  deps: AttachmentDeps,
  event: ConnectorMessageEvent,
  record: StoredResource,
): Promise<readonly ObjectData[]> => {
  if (event.attachments.length === 0) return [];
  const { matchFields } = event;
  const route = await findRoute(deps.store.direct, { classRecord: record, matchFields });
  const namespaces = [record.key.namespace, ...(route === undefined ? [] : [route.connector.key.namespace])];
  return settleEventAttachments(deps, { classUid: record.uid, namespaces }, event.attachments);
};

/** Refuses an event that names another class than that of its registration. */
export const requireClass = ({ connectorClass }: ConnectorMessageEvent, { key }: StoredResource): void => {
  if (connectorClass === '' || connectorClass === key.name) return;
  throw new Fault('FAILED_PRECONDITION', 'CLASS_MISMATCH', `the registration is of connector class ${key.name}`);
};
