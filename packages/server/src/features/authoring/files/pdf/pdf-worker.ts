import { parentPort, workerData } from 'node:worker_threads';
import { extractText, getDocumentProxy } from 'unpdf';

/** Warnings about what a document does wrong are for people who make PDFs. */
const SILENT = 0;

const document = await getDocumentProxy(workerData as Uint8Array<ArrayBuffer>, { verbosity: SILENT });
const { text } = await extractText(document, { mergePages: false });
parentPort?.postMessage(text.join('\n\n'));
