import { textOrEmpty } from '../../../../base/index.ts';
import { oncePerCall } from '../../../../idempotency/index.ts';
import { lineageBelow, lineageProblem, PART, type Submission } from '../../../../runtime/contract.ts';
import { jsonResult, toolOrigin } from '../../../../tools/authority-contract.ts';
import { errorResult, type Tool, type ToolContext } from '../../../../tools/contract.ts';
import { recordWrite } from '../session-access.ts';
import { type NamedSession, namedSession, type SessionToolsDeps } from './named-session.ts';

const NAME = 'send_session_message';
const MESSAGE_CHARS = 65_536;

/**
 * send_session_message: a message that begins a turn of another agent. The turn continues the lineage of the one that sent it, so chains
 * of agents end and run in no circles. A call that runs again after a crash finds the turn it made.
 */
export const sendTool = (
  deps: SessionToolsDeps,
  { capability, schema }: { readonly capability: string; readonly schema: Readonly<Record<string, unknown>> },
): Tool => ({
  name: NAME,
  description:
    'Sends a message to a session of another agent, which works on it by itself. Read the reply later with read_session_messages.',
  inputSchema: {
    type: 'object',
    properties: { ...schema, message: { type: 'string', minLength: 1, maxLength: MESSAGE_CHARS } },
    required: ['session_id', 'message'],
    additionalProperties: false,
  },
  effect: 'write',
  capability: { name: capability, action: 'send_message' },
  run: (context, input) =>
    deps.store.write(async (tx) => {
      const names = await namedSession(deps, tx, { context, input });
      const { namespace, agent, turnId: sender } = context;
      const lineage = lineageBelow(context.lineage, { namespace, agent, turnId: sender });
      const problem = lineageProblem(lineage, { namespace: names.ns, agent: names.agent }, deps.maxDepth);
      if (problem !== undefined) return errorResult(NAME, 'failed', problem.text);
      const sent = await oncePerCall(tx, context.idempotencyKey, async () => {
        const { turnId, messageId } = await deps.admission.admit(
          tx,
          submission(context, { ...names, message: textOrEmpty(input['message']), lineage }),
        );
        await recordWrite(tx, { call: toolOrigin(context, NAME), names, turnId, messageId }, deps);
        return { turn_id: turnId, message_id: messageId };
      });
      return jsonResult({ session_id: names.sessionId, agent: names.agent, ...sent });
    }),
});

type Sending = NamedSession & { readonly message: string; readonly lineage: Submission['cause']['lineage'] };

const submission = (
  { identity, nowMicros, traceHeaders = {} }: ToolContext,
  { ns, agent, sessionId, message, lineage }: Sending,
): Submission => {
  const { traceparent } = traceHeaders;
  const trace = traceparent === undefined ? {} : { traceParent: traceparent };
  return {
    namespace: ns,
    agent,
    sessionId,
    parts: [{ id: '', type: PART.TEXT, content: message, createdAt: nowMicros }],
    labels: {},
    whenBusy: 'QUEUE',
    cause: { kind: 'delegation', identity, labels: {}, lineage, ...trace },
  };
};
