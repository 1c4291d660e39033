import { DeletePropagation } from '@svc/api/gateway';
import { CommandFailure } from '../failure.ts';

const CASCADES: Readonly<Record<string, DeletePropagation>> = {
  background: DeletePropagation.BACKGROUND,
  foreground: DeletePropagation.FOREGROUND,
  orphan: DeletePropagation.ORPHAN,
};

/** What `--cascade` says becomes of dependants; background when it is not given (PL-11). */
export const propagationOf = (cascade = 'background'): DeletePropagation => {
  const propagation = Object.hasOwn(CASCADES, cascade) ? CASCADES[cascade] : undefined;
  if (propagation !== undefined) return propagation;
  throw new CommandFailure(`--cascade ${cascade} is not known`, { hint: Object.keys(CASCADES).join(', ') });
};
