import type { ReadTx, Store } from '../../store/contracts/index.ts';
import type { ToolContext } from '../../tools/contract.ts';
import { type ObjectAccess, PART, type Part } from '../contract.ts';

const PAGE = 100;

const isResultOf = (callId: string) => (part: Part) =>
  part.type === PART.TOOL_RESULT && part.payload?.['tool_call_id'] === callId;

const inJournal = async (tx: ReadTx, turnId: string, callId: string): Promise<Part | undefined> => {
  for (const row of await tx.log.journal(turnId)) {
    const { part } = JSON.parse(row.body) as { readonly part?: Part };
    if (part !== undefined && isResultOf(callId)(part)) return part;
  }
  return undefined;
};

/** Newest messages first; only rows that name the call are parsed. */
const inMessages = async (tx: ReadTx, sessionId: string, callId: string): Promise<Part | undefined> => {
  let before: string | undefined;
  for (;;) {
    const page = await tx.log.messagesBefore(sessionId, before, PAGE);
    for (const row of page) {
      const found = row.parts.includes(callId) ? (JSON.parse(row.parts) as Part[]).find(isResultOf(callId)) : undefined;
      if (found !== undefined) return found;
    }
    before = page.at(-1)?.id;
    if (page.length < PAGE) return undefined;
  }
};

/** Whole text of a tool result of the session: of the turn under way, else of its messages; inline or its object. */
export const toolOutputs =
  (store: Pick<Store, 'read'>, objects: Pick<ObjectAccess, 'read'>) =>
  async (
    { namespace, sessionId, turnId }: Pick<ToolContext, 'namespace' | 'sessionId' | 'turnId'>,
    callId: string,
  ): Promise<string | undefined> => {
    const part = await store.read(
      async (tx) => (await inJournal(tx, turnId, callId)) ?? (await inMessages(tx, sessionId, callId)),
    );
    if (part?.object === undefined) return part?.content;
    const bytes = await objects.read(namespace, part.object);
    return bytes === undefined ? undefined : Buffer.from(bytes).toString('utf8');
  };
