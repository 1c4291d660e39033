import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { namesTag } from '../../base/network/index.ts';
import type { HttpRoute } from '../../operations/index.ts';
import { answerFile } from './answer-file.ts';
import { type BuiltFile, builtFiles } from './built-files.ts';

/** Where a build puts the chat widget, like the console. */
const BUILT = join(import.meta.dirname, 'widget');
const NAME = 'svc-chat.js';
/** Pages of other sites load it. Its name stays the same, so browsers ask after ten minutes whether it changed. */
const HEADERS = { 'cache-control': 'public, max-age=600', 'cross-origin-resource-policy': 'cross-origin' };

/** Undefined where no widget was built. */
export const findWidget = (folder = BUILT): BuiltFile | undefined => builtFiles(folder).get(NAME);

/** `GET /widget/svc-chat.js`: the chat for one script tag, without a credential. */
export const widgetRoute = (file: BuiltFile): HttpRoute => {
  let known: Promise<string> | undefined;
  /** Of the content, whatever form it is sent in. */
  const tag = async (): Promise<string> =>
    `"${createHash('sha256')
      .update(await file.read(undefined))
      .digest('base64url')}"`;
  return {
    method: 'GET',
    pattern: `/widget/${NAME}`,
    authenticated: false,
    handle: async (exchange) => {
      known ??= tag();
      const etag = await known;
      const headers = { ...HEADERS, etag: `W/${etag}` };
      if (namesTag(exchange.header('if-none-match'), etag)) exchange.answer(304, headers);
      else await answerFile(exchange, file, headers);
    },
  };
};
