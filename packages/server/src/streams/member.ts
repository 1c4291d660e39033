import type { Feed } from './feed.ts';
import { deliverInPace, Follow, type FollowTarget } from './follow.ts';
import type { Reader, ReaderMember } from './reader.ts';

/** Where a member listens. */
export interface MemberHub<E> {
  readonly feed: Feed<E>;
  remove(member: Member<E>): void;
}

/** One feed on one reader. Made, added to its hub and adopted by its reader before anything is read; then started once. */
export class Member<E, H extends MemberHub<E> = MemberHub<E>> implements FollowTarget<E>, ReaderMember {
  readonly follow: Follow<E>;
  readonly reader: Reader<E>;
  readonly hub: H;
  #left = false;
  /** Called once, as the member leaves its hub. */
  onLeave: (() => void) | undefined;

  constructor(reader: Reader<E>, hub: H) {
    this.reader = reader;
    this.hub = hub;
    this.follow = new Follow(hub.feed, this);
  }

  get left(): boolean {
    return this.#left;
  }

  get place(): string {
    const { position } = this.follow;
    return Number.isNaN(position) ? '' : this.hub.feed.cursor(position);
  }

  deliver(event: E): void {
    this.reader.send(event, this.hub.feed);
  }

  ready(): Promise<void> | undefined {
    return this.reader.ready();
  }

  together(work: () => void): void {
    this.reader.together(work);
  }

  fail(error: unknown): void {
    this.reader.end(error);
  }

  /** Sends these events at the reader's pace and ends; instead of following the feed. */
  async deliverAll(events: readonly E[]): Promise<void> {
    await deliverInPace(events, this, () => this.#left);
    this.finish();
  }

  leave(): void {
    if (this.#left) return;
    this.#left = true;
    this.onLeave?.();
    this.follow.stop();
    this.hub.remove(this);
  }

  /** Nothing more is wanted of this feed. */
  finish(): void {
    if (this.#left) return;
    this.leave();
    this.reader.memberDone();
  }
}
