import type { ModelMessage } from './contract.ts';

/**
 * Call ids to put on the wire, by our call id: the provider's own where it gave one that is unique in this request, else
 * ours. Calls and their results so always pair, whatever the provider repeated or left out.
 */
export const wireCallIds = (messages: readonly ModelMessage[]): ReadonlyMap<string, string> => {
  const byCall = new Map<string, string>();
  const used = new Set<string>();
  for (const message of messages) {
    for (const part of message.content) {
      if (part.type !== 'call' || byCall.has(part.callId)) continue;
      const isUsable = part.providerCallId !== '' && !used.has(part.providerCallId);
      const id = isUsable ? part.providerCallId : part.callId;
      byCall.set(part.callId, id);
      used.add(id);
    }
  }
  return byCall;
};
