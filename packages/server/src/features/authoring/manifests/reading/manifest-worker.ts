import { parentPort } from 'node:worker_threads';
import { nodeText, readText } from '../../../../resources/manifest/syntax/index.ts';
import type { ThreadAnswer } from './manifest-texts.ts';

/** Reads one text after the other, as they are posted. */
parentPort?.on('message', (text: string) => {
  const { documents, count, findings } = readText(text);
  const answer: ThreadAnswer = {
    documents: [...documents].map(([index, node]) => [index, nodeText(node)] as const),
    count,
    findings,
  };
  parentPort?.postMessage(answer);
});
