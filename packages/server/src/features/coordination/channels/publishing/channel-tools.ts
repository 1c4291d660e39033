import { textOrEmpty } from '../../../../base/index.ts';
import { earlierAnswer, oncePerCall } from '../../../../idempotency/index.ts';
import { lineageBelow } from '../../../../runtime/contract.ts';
import type { Store, WriteTx } from '../../../../store/contracts/index.ts';
import { jsonResult } from '../../../../tools/authority-contract.ts';
import type { Tool, ToolContext, ToolResult, ToolSource } from '../../../../tools/contract.ts';
import { CHANNEL_LABEL, routeOfSession } from '../routing/index.ts';
import type { ChannelPublishing, Speaker } from './channel-publishing.ts';

interface ChannelToolsDeps {
  readonly store: Pick<Store, 'write' | 'direct' | 'steadyNow'>;
  readonly publishing: ChannelPublishing;
}

const PUBLISH = 'channel_publish';
const SKIP = 'channel_skip_reply';
const CONTENT_CHARS = 65_536;
const REASON_CHARS = 500;
const ARTIFACTS_MAX = 20;

/** What agents may do in the channel that began their session; offered in no other session. */
export const channelTools = (deps: ChannelToolsDeps): ToolSource => {
  const tools = [publishTool(deps), skipTool(deps)];
  return {
    name: 'channels',
    toolsets: ['channels'],
    names: [PUBLISH, SKIP],
    concerns: () => true,
    tools: async ({ grants, sessionId, sessionLabels }) => {
      const { namespace, agent } = grants;
      // Only sessions with the label are looked up; what holds is what the channel kept.
      if (sessionLabels[CHANNEL_LABEL] === undefined) return [];
      const route = await routeOfSession(deps.store.direct, { namespace, agent, sessionId });
      return route === undefined || route.replyMode === 'none' ? [] : tools;
    },
  };
};

const speakerOf = ({ namespace, agent, sessionId, turnId, identity, lineage }: ToolContext): Speaker => ({
  namespace,
  agent,
  sessionId,
  turnId,
  cause: { identity, lineage: lineageBelow(lineage, { namespace, agent, turnId }) },
});

/** Runs the effect once for all runs of the call. */
const answered = async (
  { store }: ChannelToolsDeps,
  { idempotencyKey }: ToolContext,
  effect: (tx: WriteTx) => Promise<unknown>,
): Promise<ToolResult> => jsonResult(await store.write((tx) => oncePerCall(tx, idempotencyKey, () => effect(tx))));

const publishTool = (deps: ChannelToolsDeps): Tool => ({
  name: PUBLISH,
  description: 'Publishes a message in the channel that this conversation comes from.',
  inputSchema: {
    type: 'object',
    properties: {
      content: { type: 'string', maxLength: CONTENT_CHARS, description: 'the message' },
      artifact_uris: {
        type: 'array',
        maxItems: ARTIFACTS_MAX,
        items: { type: 'string' },
        description: 'artifacts to attach',
      },
    },
    required: ['content'],
    additionalProperties: false,
  },
  effect: 'write',
  needsTurn: true,
  capability: { name: 'channels', action: 'publish', granted: 'always' },
  run: async (context, input) => {
    const { publishing, store } = deps;
    const known = await earlierAnswer(store, context.idempotencyKey);
    if (known !== undefined) return jsonResult(known);
    const uris = Array.isArray(input['artifact_uris']) ? input['artifact_uris'].map(String) : [];
    const attachments = await publishing.artifactObjects(context, uris);
    const content = textOrEmpty(input['content']);
    return answered(deps, context, (tx) => publishing.publish(tx, speakerOf(context), { content, attachments }));
  },
});

const skipTool = (deps: ChannelToolsDeps): Tool => ({
  name: SKIP,
  description: 'Says that no answer in the channel is needed.',
  inputSchema: {
    type: 'object',
    properties: {
      reason: { type: 'string', maxLength: REASON_CHARS, description: 'why, for those who follow the channel' },
    },
    additionalProperties: false,
  },
  effect: 'write',
  needsTurn: true,
  capability: { name: 'channels', action: 'publish', granted: 'always' },
  run: (context, input) =>
    answered(deps, context, async (tx) => {
      await deps.publishing.skip(tx, speakerOf(context), textOrEmpty(input['reason']));
      return { skipped: true };
    }),
});
