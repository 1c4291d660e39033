import type { SessionKey } from '@svc/client';

/** Type of the panel that shows a session next to the screen. */
export const SESSION_PANEL = 'session';

/** A session as the key of a panel. */
export const sessionText = ({ ns, agent, sessionId }: SessionKey): string => [ns, agent, sessionId].join('/');

/** Reads `sessionText` back. */
export const sessionOf = (text: string): SessionKey => {
  const [ns = '', agent = '', sessionId = ''] = text.split('/');
  return { ns, agent, sessionId };
};
