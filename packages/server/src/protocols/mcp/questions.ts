import type { ElicitResult } from '@modelcontextprotocol/client';
import type { McpQuestion, McpReply } from './contract.ts';
import { jsonHash } from './json-hash.ts';

/** Questions by form only; others are not offered. */
export const questionOf = (params: object): McpQuestion => {
  const { message, requestedSchema } = params as { readonly message?: unknown; readonly requestedSchema?: unknown };
  const schema = (requestedSchema ?? { type: 'object' }) as Readonly<Record<string, unknown>>;
  return { key: jsonHash({ message, schema }), message: String(message), schema };
};

/** What a person said, as the protocol says it. */
export const elicitResult = (reply: McpReply): ElicitResult =>
  reply.action === 'accept'
    ? { action: 'accept', content: reply.content as NonNullable<ElicitResult['content']> }
    : { action: 'decline' };
