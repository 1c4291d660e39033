import type { DescMethodServerStreaming } from '@bufbuild/protobuf';
import { v1, v1alpha } from '@svc/api/reflection';
import type { CallContext } from '../../auth/contract.ts';
import type { StreamSink } from '../../operations/index.ts';
import type { RequestMessages, StandardOperation } from '../dispatcher/index.ts';
import type { DescriptorIndex } from './descriptor-index.ts';
import { reflectionAnswer } from './reflection-answer.ts';

/** Waits until a lagging reader has caught up or left. */
const caughtUp = (sink: StreamSink<object>, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    sink.onDrained(resolve);
    if (signal.aborted || sink.writable) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });

/**
 * Server reflection in both versions, whose messages are alike: the one service whose client streams. Every question is
 * answered as it comes, in order, as fast as the reader takes the answers; any valid credential will do.
 */
export const reflectionOperations = (index: DescriptorIndex): StandardOperation[] => {
  const converse = async (
    questions: RequestMessages,
    { signal }: CallContext,
    sink: StreamSink<object>,
  ): Promise<void> => {
    signal.addEventListener('abort', () => questions.end(), { once: true });
    sink.open();
    for (let question = await questions.next(); question !== undefined; question = await questions.next()) {
      const keepsUp = sink.send(reflectionAnswer(index, question as v1.ServerReflectionRequest), '');
      if (!keepsUp) await caughtUp(sink, signal);
      if (signal.aborted) return;
    }
  };
  return [v1.ServerReflection, v1alpha.ServerReflection].map((service) => ({
    endpoint: {
      kind: 'stream',
      // No operation of the product is like that, so an endpoint knows none; the method table reads what it really is.
      method: service.method.serverReflectionInfo as unknown as DescMethodServerStreaming,
      handle: (request, context, sink) => converse(request as unknown as RequestMessages, context, sink),
    },
    authenticated: true,
  }));
};
