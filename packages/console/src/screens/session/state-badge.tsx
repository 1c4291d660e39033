import type { ReactElement } from 'react';
import { Badge, type Tone } from '../../ui/badge.tsx';

const TONES: Readonly<Record<string, Tone>> = { IDLE: 'calm', PROCESSING: 'busy', WAITING: 'warn' };
const STATES: Readonly<Record<string, string>> = { IDLE: 'Idle', PROCESSING: 'Works', WAITING: 'Waits for an answer' };

/** Whether the agent of a session works. */
export const StateBadge = ({ state }: { readonly state: string }): ReactElement => (
  <Badge tone={TONES[state] ?? 'calm'}>{STATES[state] ?? state}</Badge>
);
