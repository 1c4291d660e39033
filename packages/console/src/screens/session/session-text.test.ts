import { expect, it } from 'vitest';
import { sessionOf, sessionText } from './session-text.ts';

it('names a session in the address of a panel, and reads it back', () => {
  const session = { ns: 'acme:web', agent: 'porter', sessionId: '01a2' };
  expect(sessionText(session)).toBe('acme:web/porter/01a2');
  expect(sessionOf('acme:web/porter/01a2')).toEqual(session);
  expect(sessionOf('acme')).toEqual({ ns: 'acme', agent: '', sessionId: '' });
});
