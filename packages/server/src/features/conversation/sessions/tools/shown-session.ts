import { PART, type Part } from '../../../../runtime/contract.ts';
import type { MessageRow, SessionRow } from '../../../../store/contracts/index.ts';
import { shownTime } from '../../../../tools/authority-contract.ts';

/** Sessions and messages as models read them. */

const ROLES: readonly string[] = ['', 'user', 'assistant', 'system'];
/** Longest text of one message, and of all messages of one answer, in UTF-16 units. */
const MESSAGE_CHARS = 8_000;
const ANSWER_CHARS = 40_000;

export const shownSession = (row: SessionRow) => ({
  session_id: row.id,
  agent: row.agent,
  namespace: row.namespace,
  state: row.state,
  created_at: shownTime(row.createdAt),
  last_active: shownTime(row.lastActive),
});

interface ShownMessage {
  readonly message_id: string;
  readonly role: string;
  readonly created_at: string;
  readonly text: string;
  /** Names of files and media; their bytes are not part of the answer. */
  readonly attachments?: readonly string[];
  readonly truncated?: true;
}

const shownMessage = (row: MessageRow): ShownMessage => {
  const parts = JSON.parse(row.parts) as readonly Part[];
  const text = parts
    .filter(({ type }) => type === PART.TEXT)
    .map(({ content = '' }) => content)
    .join('\n');
  const attachments = parts.flatMap(({ object }) => (object === undefined ? [] : [object.filename]));
  return {
    message_id: row.id,
    role: ROLES[row.role] ?? '',
    created_at: shownTime(row.createdAt),
    text: text.slice(0, MESSAGE_CHARS),
    ...(attachments.length === 0 ? {} : { attachments }),
    ...(text.length > MESSAGE_CHARS ? { truncated: true } : {}),
  };
};

/** Messages as they were said, oldest first; where all are too long, the newest ones. `rows` are newest first. */
export const shownMessages = (rows: readonly MessageRow[]): readonly ShownMessage[] => {
  const shown: ShownMessage[] = [];
  let chars = 0;
  for (const row of rows) {
    const message = shownMessage(row);
    chars += message.text.length;
    if (shown.length > 0 && chars > ANSWER_CHARS) break;
    shown.push(message);
  }
  return shown.reverse();
};
