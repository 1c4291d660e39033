import type { Authenticator, Caller, CredentialCarrier } from './contract.ts';

/** Authenticates and passes a failure to `refuse`, whether it comes at once or later; `refuse` throws the final error. */
export const authenticateOr = (
  inner: Authenticator,
  carrier: CredentialCarrier,
  refuse: (error: unknown) => Caller | Promise<Caller>,
): Caller | Promise<Caller> => {
  try {
    const caller = inner.authenticate(carrier);
    return caller instanceof Promise ? caller.catch(refuse) : caller;
  } catch (error) {
    return refuse(error);
  }
};
