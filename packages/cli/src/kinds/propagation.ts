import { CommandFailure } from '../failure.ts';
import type { Propagation } from './kind.ts';

const CASCADES: Readonly<Record<string, Propagation>> = {
  background: 'DELETE_PROPAGATION_BACKGROUND',
  foreground: 'DELETE_PROPAGATION_FOREGROUND',
  orphan: 'DELETE_PROPAGATION_ORPHAN',
};

/** What `--cascade` does with dependants; background by default. */
export const propagationOf = (cascade = 'background'): Propagation => {
  const propagation = Object.hasOwn(CASCADES, cascade) ? CASCADES[cascade] : undefined;
  if (propagation !== undefined) return propagation;
  throw new CommandFailure(`--cascade ${cascade} is not known`, { hint: Object.keys(CASCADES).join(', ') });
};
