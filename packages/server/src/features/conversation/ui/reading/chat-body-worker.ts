import { parentPort } from 'node:worker_threads';
import { atOnce, Fault } from '../../../../base/index.ts';
import { type BodyAnswer, type BodyTask, contentsOf, judgedSize } from './chat-bodies.ts';
import { readingChatRequest } from './chat-request.ts';

const answerTo = ({ bytes, messageBytes }: BodyTask): BodyAnswer => {
  try {
    return { request: judgedSize(atOnce(readingChatRequest(bytes)), messageBytes) };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const { code, reason, message, violations } = error;
    return { refusal: { code, reason, message, violations } };
  }
};

/** Reads one body after the other, as they are posted; the bytes of files move, the rest is copied. */
parentPort?.on('message', (task: BodyTask) => {
  const answer = answerTo(task);
  const moved = 'request' in answer ? contentsOf(answer.request).map(({ buffer }) => buffer) : [];
  parentPort?.postMessage(answer, moved);
});
