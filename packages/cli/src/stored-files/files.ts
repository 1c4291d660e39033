import { ContentMode } from '@svc/api/gateway';
import { FileSchema } from '@svc/api/resources';
import { isSvcError } from '@svc/client';
import type { GlobalOptions } from '../connection.ts';
import { openContext } from '../context.ts';
import { CommandFailure, exitCodes } from '../failure.ts';
import type { Host } from '../host.ts';
import { outputForm, printValue } from '../output.ts';
import { resourceJson } from '../typed-resource.ts';
import { download } from './download.ts';
import { findFile } from './find-file.ts';

/** `svc file get PATH [LOCAL]`: writes the bytes to a file or standard output; with -o json or yaml prints the resource. */
export const getFile = async (host: Host, words: readonly string[], options: GlobalOptions): Promise<void> => {
  const [word = '', local = ''] = words;
  const form = outputForm(options.output);
  const context = await openContext(host, options);
  const file = await findFile(context, word);
  if (form.form !== 'table') return printValue(host, resourceJson(FileSchema, file), form);
  const { objectRef } = file.status ?? {};
  if (objectRef === undefined) throw new CommandFailure(`${word} has no content yet: its upload is not finished`);
  await download(context, {
    label: file.spec?.path ?? word,
    local,
    sha256: objectRef.sha256,
    sizeBytes: Number(objectRef.sizeBytes),
    read: () =>
      context.client.files.readFile({
        ns: context.target.namespace,
        name: file.metadata?.name ?? '',
        content: ContentMode.UNSPECIFIED,
      }),
  });
};

/** `svc file rm PATH...`: exit code 2 when only some were removed. */
export const removeFiles = async (host: Host, words: readonly string[], options: GlobalOptions): Promise<void> => {
  const context = await openContext(host, options);
  let removed = 0;
  for (const word of words) {
    try {
      const { metadata, spec } = await findFile(context, word);
      await context.client.files.deleteFile({ ns: context.target.namespace, name: metadata?.name ?? '' });
      host.stdout.write(`${spec?.path ?? word} removed\n`);
      removed += 1;
    } catch (error) {
      if (removed === 0 || !isSvcError(error)) throw error;
      throw new CommandFailure(`${error.message} (${error.reason})`, { exitCode: exitCodes.partial, cause: error });
    }
  }
};
