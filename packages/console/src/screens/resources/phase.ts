import type { Resource } from '@svc/api/resources';
import type { Tone } from '../../ui/badge.tsx';

const TONES: Readonly<Record<string, Tone>> = {
  Ready: 'good',
  Active: 'good',
  Available: 'good',
  Completed: 'good',
  Succeeded: 'good',
  Running: 'busy',
  Pending: 'busy',
  Progressing: 'busy',
  Failed: 'bad',
  Error: 'bad',
  Degraded: 'warn',
  Suspended: 'warn',
  Terminating: 'warn',
};

/** How a phase looks. */
export const toneOfPhase = (phase: string): Tone => TONES[phase] ?? 'calm';

/** The phase in the status of a resource of any kind; '' where its status has none. */
export const phaseOf = ({ status }: Resource): string => {
  const own = status?.kind.value;
  return own !== undefined && 'phase' in own && typeof own.phase === 'string' ? own.phase : '';
};
