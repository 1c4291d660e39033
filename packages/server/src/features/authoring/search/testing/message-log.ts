import type { MessageRow, SessionRow } from '../../../../store/contracts/index.ts';
import type { MessageSearch } from '../message-search.ts';

/** A session of an agent of namespace `acme`, last active at that time. */
export const sessionOf = (agent: string, id: string, lastActive: number): SessionRow => ({
  id,
  namespace: 'acme',
  agent,
  state: 'IDLE',
  fence: 0,
  epoch: 0,
  createdAt: 1,
  lastActive,
  openTurns: 0,
  activeTurnId: '',
  admission: 0,
  lastMessageId: '',
  lastSequence: 0,
  labels: {},
  body: '{}',
});

/** A message, whose number is its id and its time. */
export const messageOf = (sessionId: string, number: number, content: string): MessageRow => ({
  id: String(number).padStart(6, '0'),
  sessionId,
  role: 1,
  createdAt: number,
  labels: {},
  turnId: '',
  parts: JSON.stringify([{ id: '0', type: 1, content }]),
  revision: 1,
});

/** A log of these sessions, which counts the lists that are asked for. */
export const logOf = (sessions: readonly SessionRow[], messages: readonly MessageRow[]) => {
  const asked = { sessions: 0 };
  const log: MessageSearch['log'] = {
    session: async (id) => sessions.find((row) => row.id === id),
    sessions: async ({ namespace, agent, before, limit }) => {
      asked.sessions++;
      return sessions
        .filter((row) => row.namespace === namespace && row.agent === agent)
        .filter(
          ({ lastActive, id }) =>
            before === undefined ||
            lastActive < before.lastActive ||
            (lastActive === before.lastActive && id < before.id),
        )
        .toSorted((a, b) => b.lastActive - a.lastActive || (a.id < b.id ? 1 : -1))
        .slice(0, limit);
    },
    messagesBefore: async (id, before, limit) =>
      messages
        .filter((row) => row.sessionId === id && (before === undefined || row.id < before))
        .toSorted((a, b) => (a.id < b.id ? 1 : -1))
        .slice(0, limit),
  };
  return { log, asked };
};
