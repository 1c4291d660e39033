import type { Resource } from '@svc/api/resources';

/**
 * The version that a draft is saved over. `from` is the resource as it was when the draft was begun, `newest` as it is now: when only its
 * state was written since, the newest, as the server refuses an older one; when its text was, `from`, so that the server refuses to undo
 * what somebody else changed.
 */
export const savedOver = (from: Resource, newest: Resource): Resource => {
  const isSameText =
    newest.metadata?.uid === from.metadata?.uid && newest.metadata?.generation === from.metadata?.generation;
  return isSameText ? newest : from;
};
