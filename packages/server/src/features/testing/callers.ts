import type { Caller } from '../../auth/contract.ts';
import { ADMIN } from './test-call.ts';

/** An admin of these namespaces and those below them, who may not read secrets. */
export const adminOf = (...namespaces: string[]): Caller => ({
  ...ADMIN,
  grants: namespaces.map((namespace) => ({ role: 'admin', readSecrets: false, namespace })),
});

/** What a call comes to: `allowed`, or code, reason and text of its refusal. */
export const callOutcome = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => 'allowed',
    ({ code, reason, message }: { code: string; reason: string; message: string }) => [code, reason, message],
  );
