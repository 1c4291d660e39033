import { Fault } from '../../../base/index.ts';
import type { ResourceChange, Store, StoredResource } from '../../../store/contracts/index.ts';
import type { Feed, FeedSlice } from '../../../streams/index.ts';
import type { PastAncestors } from './manifests-deps.ts';

/** Says up to which version the reader has everything. */
export interface Bookmark {
  readonly bookmark: number;
}

/** What a watch sends: a change of the log, a resource that was there at its beginning, or a bookmark. */
export type WatchEvent = ResourceChange | StoredResource | Bookmark;

export const isChange = (event: WatchEvent): event is ResourceChange => 'change' in event;

export const isBookmark = (event: WatchEvent): event is Bookmark => 'bookmark' in event;

/** Changes, or resources, read at once. */
export const BATCH = 500;

export interface WatchFeedDeps {
  readonly store: Pick<Store, 'direct'>;
  readonly ancestry: PastAncestors;
  /** True where ancestors of the past decide what is shown. */
  readonly isRecursive: boolean;
}

/** The change log as one watch follows it: in version order, without gaps, for the process's reader of the log sees to that. */
export class WatchFeed implements Feed<WatchEvent> {
  readonly #deps: WatchFeedDeps;
  /** Version up to which what was there at the beginning is true. */
  presentVersion = 0;

  constructor(deps: WatchFeedDeps) {
    this.#deps = deps;
  }

  position(event: WatchEvent): number {
    if (isChange(event)) return event.version;
    return isBookmark(event) ? event.bookmark : this.presentVersion;
  }

  cursor(version: number): string {
    return String(version);
  }

  size(event: WatchEvent): number {
    if (isBookmark(event)) return 0;
    const { spec, status } = isChange(event) ? event.resource : event;
    return spec.length + status.length;
  }

  continues(): boolean {
    return true;
  }

  settles(): boolean {
    return true;
  }

  /** VERSION_EXPIRED when the next changes are too old to be kept. */
  async fill(after: number): Promise<FeedSlice<ResourceChange>> {
    const { resources } = this.#deps.store.direct;
    const items = await resources.changes(after, BATCH);
    // Of a reader that takes its time the next changes may have gone by now, as too old.
    requireKept(after, await resources.versionRange());
    if (this.#deps.isRecursive) await this.#deps.ancestry.learn(items);
    return { items, position: items.at(-1)?.version ?? after, settled: true, isPartial: items.length === BATCH };
  }
}

/** VERSION_EXPIRED for a version behind which the log is not whole, or that it has not reached. */
export const requireKept = (
  from: number,
  { oldest, newest }: { readonly oldest: number; readonly newest: number },
): void => {
  if (from > newest || from < oldest - 1)
    throw new Fault('OUT_OF_RANGE', 'VERSION_EXPIRED', 'changes after this version are not kept: list again', {
      metadata: { oldest: String(oldest), newest: String(newest) },
    });
};
