import type { HttpExchange } from '../../operations/index.ts';
import { acceptedEncoding } from '../../transport/http/index.ts';
import type { BuiltFile } from './built-files.ts';

/** Answers a file in the smallest form that the client takes, with these headers besides its type. */
export const answerFile = async (
  exchange: HttpExchange,
  file: BuiltFile,
  headers: Readonly<Record<string, string>>,
): Promise<void> => {
  const encoding = acceptedEncoding(exchange.header('accept-encoding'), file.encodings);
  const form = encoding === undefined ? {} : { 'content-encoding': encoding };
  const all = { ...SAFE, ...headers, 'content-type': file.type, vary: 'accept-encoding', ...form };
  exchange.answer(200, all, await file.read(encoding));
};

/** Of everything that a browser loads from here. */
export const SAFE = { 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' };
