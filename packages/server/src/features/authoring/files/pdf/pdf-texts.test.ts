import { expect, it } from 'vitest';
import { type Clock, ManualClock, silentLog, systemClock } from '../../../../base/index.ts';
import { pdfDocument } from '../testing/pdf-document.ts';
import { PdfTexts } from './pdf-texts.ts';

const texts = (clock: Clock = systemClock) => new PdfTexts({ clock, log: silentLog });

it('reads pages in their order, apart from each other', async () => {
  expect(await texts().text(pdfDocument('the first page', 'and the second'))).toBe('the first page\n\nand the second');
});

it('reads several documents at once asked for, each as its own', async () => {
  const reader = texts();
  const words = ['one', 'two', 'three'];
  expect(await Promise.all(words.map((word) => reader.text(pdfDocument(word))))).toEqual(words);
});

it.each([
  ['no PDF at all', new TextEncoder().encode('hello')],
  ['nothing', new Uint8Array()],
  ['a PDF cut short', pdfDocument('whole').subarray(0, 60)],
])('has no text of %s, and reads the next one', async (_what, bytes) => {
  const reader = texts();
  const found = [reader.text(bytes), reader.text(pdfDocument('after it'))];
  expect(await Promise.all(found)).toEqual([undefined, 'after it']);
});

it('gives a document up that takes too long', async () => {
  const clock = new ManualClock();
  const reading = texts(clock).text(pdfDocument('late'));
  // The thread is started in the next step of the program.
  await Promise.resolve();
  clock.advance(20_000);
  expect(await reading).toBeUndefined();
});
