import { isSvcError } from '@svc/client';

const watchers = new Set<() => void>();
let expired = false;

const change = (next: boolean): void => {
  if (next === expired) return;
  expired = next;
  for (const changed of watchers) changed();
};

/** Whether the server has refused the credential that this page works with, so that the person has to sign in again. */
export const expiry = {
  get isExpired(): boolean {
    return expired;
  },
  watch: (changed: () => void): (() => void) => {
    watchers.add(changed);
    return () => watchers.delete(changed);
  },
  /** Tells the error of a call; only a refused credential counts. */
  report: (error: unknown): void => {
    if (isSvcError(error) && error.code === 'UNAUTHENTICATED') change(true);
  },
  /** The credential was refused, or with false: another one is good. */
  set: change,
};
