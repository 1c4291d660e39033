import { createHash } from 'node:crypto';
import { create } from '@bufbuild/protobuf';
import {
  type TryToolRequest,
  TryToolRequestSchema,
  type TryToolResponse,
  TryToolResponseSchema,
} from '@svc/api/gateway';
import type { CallContext } from '../../../auth/contract.ts';
import { messageForm, repeatableCall, writeOnce } from '../../../idempotency/index.ts';
import { namedAgent } from './named-agent.ts';
import type { ToolTriesDeps } from './tool-tries-deps.ts';
import { answerOf } from './try-answer.ts';
import { allowedTool, checkRequest } from './try-rules.ts';

/** How long a call waits that does not say. */
export const WAIT_DEFAULT_SECONDS = 60;
const MS_PER_SECOND = 1_000;

/**
 * Calls a tool once. The record of the call is written before it runs, so that nothing takes effect unseen; the answer is kept for a repetition. A
 * process that dies in between leaves no answer: a repetition calls the tool again, with the same key.
 */
export const tryTool = async (
  deps: ToolTriesDeps,
  request: TryToolRequest,
  context: CallContext,
): Promise<TryToolResponse> => {
  const { store, tries, clock, namespaces, keptHours: hours } = deps;
  const input = checkRequest(request);
  const form = { request: TryToolRequestSchema, answer: messageForm(TryToolResponseSchema), hours };
  const repeatable = repeatableCall(context, form, request);
  const known = await repeatable?.earlierAnswer(store);
  if (known !== undefined) return known;
  const agent = await namedAgent(deps, request);
  await namespaces.requireLive(store.direct, request.ns);
  const asker = { agent, identity: context.caller.identity, signal: context.signal };
  const offer = allowedTool(request, await tries.tools(asker, request.tool), { input, tries });
  const callId = callIdOf(deps, context);
  await begin(deps, request, { callId, context });
  const startedMs = clock.monotonicMs();
  const timeoutMs = (request.waitSeconds || WAIT_DEFAULT_SECONDS) * MS_PER_SECOND;
  const outcome = await tries.run({ ...asker, offer, input, callId, timeoutMs });
  const tookMs = BigInt(Math.round(clock.monotonicMs() - startedMs));
  const answer = create(TryToolResponseSchema, { ...answerOf(outcome), callId, tookMs });
  return repeatable === undefined ? answer : writeOnce(store, repeatable, async () => answer);
};

/** Counts the call and records it; throws QUOTA_EXCEEDED. */
const begin = (
  { store, usage, audit }: ToolTriesDeps,
  { ns: namespace, agent, tool }: TryToolRequest,
  { callId, context }: { readonly callId: string; readonly context: CallContext },
): Promise<void> =>
  store.write(async (tx) => {
    const subject = { namespace, agent, identity: context.caller.identity };
    if (usage.meter.governs(namespace)) await usage.meter.reserve(tx, 'tool.calls', subject, callId);
    const target = `Agent/${namespace}/${agent}/tools/${tool}`;
    await audit(tx, context, { target, namespace, resourceVersion: '', outcome: 'tried' });
  });

/** A UUID; the same for each call with one idempotency key, so that the tool knows a repetition. */
const callIdOf = ({ ids }: Pick<ToolTriesDeps, 'ids'>, { idempotencyKey, operation, caller }: CallContext): string => {
  if (idempotencyKey === '') return ids.next();
  const text = `${caller.identity}\n${operation}\n${idempotencyKey}`;
  const [, ...groups] =
    /^(.{8})(.{4}).(.{3}).(.{3})(.{12})/.exec(createHash('sha256').update(text).digest('hex')) ?? [];
  const [first, second, third, fourth, fifth] = groups;
  return `${first}-${second}-8${third}-8${fourth}-${fifth}`;
};
