import type { OperationAccess, TargetRule } from '../auth/contract.ts';

/** For callers with at least the role viewer on what `target` says. */
export const viewer = (target: TargetRule): OperationAccess => ({ need: 'viewer', target });

/** For callers with at least the role operator on what `target` says. */
export const operator = (target: TargetRule): OperationAccess => ({ need: 'operator', target });

/** For callers with the role admin on what `target` says. */
export const admin = (target: TargetRule): OperationAccess => ({ need: 'admin', target });

/** For every caller with a valid credential. */
export const anyCaller: OperationAccess = { need: 'any', target: 'own' };

/** For a connector, by the secret of its registration. */
export const registeredConnector: OperationAccess = { need: 'callback', target: 'own' };
