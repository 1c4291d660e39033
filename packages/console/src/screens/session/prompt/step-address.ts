import type { SessionKey } from '@svc/client';

/** Names a call of a turn. */
export interface StepAddress {
  readonly session: SessionKey;
  readonly turnId: string;
  /** Number of the call in its turn, from 1. */
  readonly step: number;
  /** Number of a compaction among those before the call, from 1; 0 for the call itself. */
  readonly compaction: number;
}

/** As text for an address of the page. */
export const stepAddressText = ({ session, turnId, ...place }: StepAddress): string =>
  [session.ns, session.agent, session.sessionId, turnId, stepName(place)].join('/');

/** As the command takes it: `2` for a call, `2c1` for the first compaction before it. */
export const stepName = ({ step, compaction }: Pick<StepAddress, 'step' | 'compaction'>): string =>
  compaction === 0 ? String(step) : `${step}c${compaction}`;

/** Reads `stepAddressText` back. */
export const stepAddressOf = (text: string): StepAddress => {
  const [ns = '', agent = '', sessionId = '', turnId = '', name = ''] = text.split('/');
  const [step, compaction = '0'] = name.split('c');
  return { session: { ns, agent, sessionId }, turnId, step: Number(step), compaction: Number(compaction) };
};
