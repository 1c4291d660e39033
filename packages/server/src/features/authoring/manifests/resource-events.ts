import { create } from '@bufbuild/protobuf';
import { type ResourceChangedEvent, ResourceChangedEventSchema, ResourceChangeType } from '@svc/api/events';
import type { Resource } from '@svc/api/resources';
import { BoundedCache } from '../../../base/index.ts';
import { deepFreeze, hasSensitiveFields, type ResourceViews } from '../../../resources/index.ts';
import type { ResourceChange, ResourceChangeKind, StoredResource } from '../../../store/contracts/index.ts';

const CACHED = 2_000;

const TYPES: Readonly<Record<ResourceChangeKind, ResourceChangeType>> = {
  created: ResourceChangeType.CREATED,
  updated: ResourceChangeType.UPDATED,
  deleted: ResourceChangeType.DELETED,
};

/** Watch events; many readers of one change get the same object, which is encoded once. */
export class ChangeEvents {
  readonly #views: ResourceViews;
  readonly #cache = new BoundedCache<string, ResourceChangedEvent>(CACHED);

  constructor(views: ResourceViews) {
    this.#views = views;
  }

  /** The event of a change of the log, or of one shown as another: a resource that left the selector is DELETED. */
  ofChange(change: ResourceChange, secrets: boolean): ResourceChangedEvent {
    const isOpen = secrets || !hasSensitiveFields(change.resource.key.kind);
    const id = `${change.version}/${change.change}/${isOpen}`;
    const known = this.#cache.get(id);
    if (known !== undefined) return known;
    const event = deepFreeze(
      create(ResourceChangedEventSchema, {
        ...factsOf(change.resource, this.#views.generic(change.resource, { secrets })),
        resourceVersion: String(change.version),
        changeType: TYPES[change.change],
        changedSections: [...change.sections],
        timestamp: BigInt(change.at),
      }),
    );
    this.#cache.set(id, event);
    return event;
  }

  /** A resource that is there, for the beginning of a watch. */
  ofPresent(resource: StoredResource, secrets: boolean): ResourceChangedEvent {
    return create(ResourceChangedEventSchema, {
      ...factsOf(resource, this.#views.generic(resource, { secrets, isPassing: true })),
      resourceVersion: String(resource.version),
      changeType: ResourceChangeType.CREATED,
      changedSections: ['metadata', 'spec', 'status'],
      timestamp: BigInt(resource.updatedAt),
    });
  }
}

const factsOf = (stored: StoredResource, resource: Resource) => {
  const { key } = stored;
  return {
    namespace: key.kind === 'Namespace' ? key.name : key.namespace,
    resourceKind: key.kind,
    name: key.name,
    uid: stored.uid,
    generation: BigInt(stored.generation),
    resource,
  };
};

/** A point below which no write can still appear. */
export const bookmark = (version: number, atMicros: number): ResourceChangedEvent =>
  create(ResourceChangedEventSchema, {
    resourceVersion: String(version),
    changeType: ResourceChangeType.BOOKMARK,
    timestamp: BigInt(atMicros),
  });
