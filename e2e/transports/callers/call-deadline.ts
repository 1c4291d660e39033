import type { Message } from '@bufbuild/protobuf';

/** What a call may take besides the wait that it asks for, on a machine that is busy. */
const ROOM_MS = 40_000;

/**
 * How long a client waits for the answer to a request. Always longer than the request lets the server wait: a turn that does
 * not end is then told by the answer, with its state, and not by DEADLINE_EXCEEDED, which says nothing.
 */
export const callDeadlineMs = (request: Message): number =>
  ROOM_MS + ('waitSeconds' in request && typeof request.waitSeconds === 'number' ? request.waitSeconds * 1000 : 0);
