import type { DumpColumnType, DumpTable } from './dump-table.ts';
import { DESCRIBED_DUMPS } from './tables/index.ts';

const columns = (names: {
  readonly text?: string;
  readonly integer?: string;
  readonly real?: string;
}): Readonly<Record<string, DumpColumnType>> =>
  Object.fromEntries(
    (['text', 'integer', 'real'] as const).flatMap((type) =>
      (names[type] ?? '')
        .split(' ')
        .filter((name) => name !== '')
        .map((name) => [name, type] as const),
    ),
  );

const resourceColumns = {
  text: 'kind namespace parent name api_version uid labels annotations owners finalizers spec status',
  integer: 'generation version created_at updated_at deletion_at',
};

/**
 * Everything a store holds, in the order in which it is loaded. What follows from these rows (labels, owners, the words of
 * search) is not dumped: each engine builds it when a load ends. The version counter is the newest row of `changes`.
 */
export const DUMP_TABLES: readonly DumpTable[] = [
  { name: 'instance', order: ['name'], columns: columns({ text: 'name value' }) },
  { name: 'resources', order: ['kind', 'namespace', 'parent', 'name'], columns: columns(resourceColumns) },
  {
    name: 'changes',
    order: ['version'],
    columns: columns({ ...resourceColumns, text: `change sections ${resourceColumns.text}` }),
  },
  { name: 'activity', order: ['uid'], columns: columns({ text: 'uid body' }) },
  {
    name: 'sessions',
    order: ['id'],
    columns: columns({
      text: 'id namespace agent state active_turn_id last_message_id labels body',
      integer: 'fence epoch created_at last_active open_turns last_sequence',
      real: 'admission',
    }),
  },
  {
    name: 'messages',
    order: ['session_id', 'id'],
    columns: columns({ text: 'session_id id turn_id labels parts', integer: 'role created_at revision' }),
  },
  {
    name: 'turns',
    order: ['session_id', 'id'],
    columns: columns({
      text: 'id session_id namespace agent state worker user_message_id body',
      integer: 'ready attempt fence stop_requested wake_at created_at finished_at',
      real: 'admission',
    }),
  },
  {
    name: 'claims',
    order: ['worker', 'turn_id'],
    columns: columns({ text: 'worker turn_id', integer: 'fence expires_at' }),
  },
  {
    name: 'journal',
    order: ['turn_id', 'position'],
    columns: columns({ text: 'turn_id kind body', integer: 'position at' }),
  },
  {
    name: 'steers',
    order: ['session_id', 'message_id'],
    columns: columns({ text: 'session_id message_id turn_id body', integer: 'bytes' }),
  },
  {
    name: 'permissions',
    order: ['id'],
    columns: columns({
      text: 'id namespace agent session_id turn_id body',
      integer: 'open created_at expires_at',
    }),
  },
  {
    name: 'audit',
    order: ['position'],
    columns: columns({
      text: 'id request_id identity operation target namespace outcome resource_version',
      integer: 'position at',
    }),
  },
  { name: 'audit_chain', order: ['position'], columns: columns({ text: 'hash', integer: 'position' }) },
  {
    name: 'counters',
    order: ['key', 'bucket_start', 'bucket_end'],
    columns: columns({ text: 'key', integer: 'bucket_start bucket_end amount' }),
  },
  { name: 'objects', order: ['sha256'], columns: columns({ text: 'sha256', integer: 'size_bytes unreferenced_at' }) },
  {
    name: 'object_references',
    order: ['holder', 'namespace', 'sha256'],
    columns: columns({ text: 'holder namespace sha256 media_type', integer: 'size_bytes at' }),
  },
  {
    name: 'channel_heads',
    order: ['channel_uid'],
    columns: columns({ text: 'channel_uid', integer: 'last_sequence' }),
  },
  {
    name: 'channel_messages',
    order: ['channel_uid', 'id'],
    columns: columns({ text: 'channel_uid id body', integer: 'created_at' }),
  },
  {
    name: 'channel_events',
    order: ['channel_uid', 'sequence'],
    columns: columns({ text: 'channel_uid message_id body', integer: 'sequence at kind' }),
  },
  {
    name: 'search_documents',
    order: ['row'],
    columns: columns({ text: 'source kind namespace name path path_folded path_words', integer: 'row updated_at' }),
  },
  {
    name: 'search_chunks',
    order: ['document', 'ordinal'],
    columns: columns({ text: 'heading body words', integer: 'document ordinal' }),
  },
  ...DESCRIBED_DUMPS,
];
