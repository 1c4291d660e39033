import type { SessionKey } from '@svc/client';

/** Names a model call. */
export interface StepAddress {
  readonly session: SessionKey;
  readonly turnId: string;
  /** Number of the call in its turn, from 1. */
  readonly step: number;
}

/** As text for an address of the page. */
export const stepAddressText = ({ session, turnId, step }: StepAddress): string =>
  [session.ns, session.agent, session.sessionId, turnId, step].join('/');

/** Reads `stepAddressText` back. */
export const stepAddressOf = (text: string): StepAddress => {
  const [ns = '', agent = '', sessionId = '', turnId = '', step = ''] = text.split('/');
  return { session: { ns, agent, sessionId }, turnId, step: Number(step) };
};
