/**
 * features/authoring/files/pdf: the text of PDF documents for the index. The library that reads them runs on a thread of its own,
 * started for a document and ended with it: what strangers upload can neither hold the event loop nor stay in its memory.
 */
export { PdfTexts } from './pdf-texts.ts';
