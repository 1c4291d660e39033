import { jsonResult, NAMESPACE_ARGUMENT, numberOf } from '../../../../tools/authority-contract.ts';
import type { Tool } from '../../../../tools/contract.ts';
import { readSession } from '../session-access.ts';
import { namedSession, type SessionToolsDeps } from './named-session.ts';
import { sendTool } from './send-tool.ts';
import { shownMessages, shownSession } from './shown-session.ts';

const CAPABILITY = 'sessions';
const LIMIT_DEFAULT = 20;
const LIMIT_MAX = 100;
const AGENT = { type: 'string', minLength: 1, maxLength: 253, description: 'left out: yourself' } as const;
const LIMIT = { type: 'integer', minimum: 1, maximum: LIMIT_MAX, default: LIMIT_DEFAULT } as const;
const SESSION_ID = { type: 'string', minLength: 1, maxLength: 64 } as const;

/** list_sessions, read_session_messages, send_session_message. */
export const sessionTools = (deps: SessionToolsDeps): readonly Tool[] => [
  listTool(deps),
  readTool(deps),
  sendTool(deps, {
    capability: CAPABILITY,
    schema: { session_id: SESSION_ID, agent: AGENT, namespace: NAMESPACE_ARGUMENT },
  }),
];

const listTool = (deps: SessionToolsDeps): Tool => ({
  name: 'list_sessions',
  description: 'Lists sessions of an agent, the most recently active first.',
  inputSchema: {
    type: 'object',
    properties: { agent: AGENT, limit: LIMIT, namespace: NAMESPACE_ARGUMENT },
    additionalProperties: false,
  },
  effect: 'read',
  capability: { name: CAPABILITY, action: 'inspect' },
  run: (context, input) =>
    deps.store.read(async (tx) => {
      const { ns: namespace, agent } = await namedSession(deps, tx, { context, input });
      const limit = numberOf(input['limit'], LIMIT_DEFAULT);
      return jsonResult((await tx.log.sessions({ namespace, agent, limit })).map(shownSession));
    }),
});

const readTool = (deps: SessionToolsDeps): Tool => ({
  name: 'read_session_messages',
  description: 'Reads the newest messages of a session, oldest first.',
  inputSchema: {
    type: 'object',
    properties: { session_id: SESSION_ID, agent: AGENT, limit: LIMIT, namespace: NAMESPACE_ARGUMENT },
    required: ['session_id'],
    additionalProperties: false,
  },
  effect: 'read',
  capability: { name: CAPABILITY, action: 'read:messages' },
  run: (context, input) =>
    deps.store.read(async (tx) => {
      const row = await readSession(tx, await namedSession(deps, tx, { context, input }));
      const rows = await tx.log.messagesBefore(row.id, undefined, numberOf(input['limit'], LIMIT_DEFAULT));
      return jsonResult({ ...shownSession(row), messages: shownMessages(rows) });
    }),
});
