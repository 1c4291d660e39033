import type { CancelTimer, Clock, Log } from '../../base/index.ts';
import type { SessionRow } from '../../store/contracts/index.ts';
import { restingPosition } from './session-feed.ts';
import type { SessionMember } from './session-hub.ts';

export interface IdleEndDeps {
  readonly clock: Clock;
  readonly log: Log;
  /** `streams.untilDoneIdleSeconds` in milliseconds. */
  readonly untilDoneIdleMs: number;
  /** The session as it is stored; undefined once it was deleted. */
  readonly session: (sessionId: string) => Promise<SessionRow | undefined>;
}

/**
 * Ends the member without a fault when its session is still idle after `untilDoneIdleMs`: a stream that was asked to end with
 * the next turn, of a session whose turn is over already, would otherwise never end. While a turn is queued or runs the
 * check is repeated; a turn that the bus did not report is read from the store instead.
 */
export const endWhenIdle = (member: SessionMember, deps: IdleEndDeps): void => {
  let cancel: CancelTimer | undefined;
  const check = async (): Promise<void> => {
    const session = await deps.session(member.hub.sessionId);
    if (session === undefined || member.left) return;
    const isMissing = restingPosition(session) > member.follow.position;
    if (session.openTurns === 0 && !isMissing) member.finish();
    else if (isMissing) member.follow.lost();
  };
  const schedule = (): void => {
    cancel = deps.clock.after(deps.untilDoneIdleMs, () => {
      check()
        .catch((error: unknown) => deps.log.warn('checking an idle session failed', { reason: String(error) }))
        .finally(() => {
          if (!member.left) schedule();
        });
    });
  };
  member.onLeave = () => cancel?.();
  schedule();
};
