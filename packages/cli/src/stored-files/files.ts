import { ContentMode } from '@svc/api/gateway';
import { type File, FileIndexPolicy, FilePurpose, FileRetention, FileSchema } from '@svc/api/resources';
import { isSvcError } from '@svc/client';
import type { GlobalOptions } from '../connection.ts';
import { openContext, type ScopeOptions } from '../context.ts';
import { CommandFailure, exitCodes } from '../failure.ts';
import { collectPages, resourceJson } from '../kinds/index.ts';
import { outputForm, printValue } from '../output.ts';
import { age, renderTable, sizeText } from '../terminal/index.ts';
import type { World } from '../world.ts';
import { download } from './download.ts';
import { findFile, storedPath } from './find-file.ts';

/** `svc file get PATH [LOCAL]`: the bytes to a file or standard output; with -o json or yaml what is known of the file. */
export const getFile = async (world: World, words: readonly string[], options: GlobalOptions): Promise<void> => {
  const [word = '', local = ''] = words;
  const form = outputForm(options.output);
  const context = await openContext(world, options);
  const file = await findFile(context, word);
  if (form.form !== 'table') return printValue(world, resourceJson(FileSchema, file), form);
  const { objectRef } = file.status ?? {};
  if (objectRef === undefined) throw new CommandFailure(`${word} has no content yet: its upload is not finished`);
  await download(context, {
    ...{ label: file.spec?.path ?? word, local, sha256: objectRef.sha256, sizeBytes: Number(objectRef.sizeBytes) },
    read: () =>
      context.client.files.readFile({
        ...{ ns: context.target.namespace, name: file.metadata?.name ?? '' },
        content: ContentMode.UNSPECIFIED,
      }),
  });
};

/** `svc file list [PREFIX]`: files by path. */
export const listFiles = async (
  world: World,
  words: readonly string[],
  options: GlobalOptions & ScopeOptions,
): Promise<void> => {
  const form = outputForm(options.output);
  const { client, target, scope, note } = await openContext(world, options);
  const pathPrefix = words[0] === undefined ? '' : storedPath(words[0]);
  const files = await collectPages(scope.limit, async (pageToken, pageSize) => {
    const request = { ns: target.namespace, pathPrefix, pageToken, pageSize, labelSelector: scope.selector };
    const page = await client.files.listFiles(request);
    return { items: page.files, next: page.nextPageToken };
  });
  if (form.form === 'name') return world.stdout.write(files.map(({ metadata }) => `file/${metadata?.name}\n`).join(''));
  if (form.form !== 'table' && form.form !== 'wide') {
    const items = files.map((file) => resourceJson(FileSchema, file));
    return printValue(world, { apiVersion: 'svc/v1', kind: 'List', items }, form);
  }
  if (files.length === 0 && form.form === 'table')
    return note(`no files${pathPrefix === '' ? '' : ` below ${pathPrefix}`} in namespace ${target.namespace}`);
  const isWide = form.form === 'wide';
  const headings = ['PATH', 'SIZE', 'TYPE', 'PURPOSE', 'UPDATED'];
  const more = ['PHASE', 'INDEX', 'RETENTION', 'NAME', 'SHA256'];
  const rows = files.map((file) => [...cellsOf(world, file), ...(isWide ? wideCellsOf(file) : [])]);
  const columns = world.stdout.isTerminal ? world.stdout.columns : undefined;
  world.stdout.write(renderTable(isWide ? [...headings, ...more] : headings, rows, columns));
};

const cellsOf = (world: World, { spec, status }: File): readonly string[] => [
  spec?.path ?? '',
  status?.objectRef === undefined ? '-' : sizeText(Number(status.objectRef.sizeBytes)),
  spec?.mediaType || '-',
  wordOf(FilePurpose[spec?.purpose ?? 0]),
  status === undefined || status.updatedAt === 0n ? '-' : age(Number(status.updatedAt) / 1_000, world.nowMs()),
];

const wideCellsOf = ({ spec, status, metadata }: File): readonly string[] => [
  status?.phase || '-',
  wordOf(FileIndexPolicy[spec?.indexPolicy ?? 0]),
  wordOf(FileRetention[spec?.retention ?? 0]),
  metadata?.name ?? '',
  status?.objectRef?.sha256.slice(0, 12) ?? '-',
];

const wordOf = (name: string | undefined): string =>
  name === undefined || name === 'UNSPECIFIED' ? '-' : name.toLowerCase();

/** `svc file rm PATH...`: some removed and some not is exit code 2. */
export const removeFiles = async (world: World, words: readonly string[], options: GlobalOptions): Promise<void> => {
  const context = await openContext(world, options);
  let removed = 0;
  for (const word of words) {
    try {
      const { metadata, spec } = await findFile(context, word);
      await context.client.files.deleteFile({ ns: context.target.namespace, name: metadata?.name ?? '' });
      world.stdout.write(`${spec?.path} removed\n`);
      removed += 1;
    } catch (error) {
      if (removed === 0 || !isSvcError(error)) throw error;
      throw new CommandFailure(`${error.message} (${error.reason})`, { exitCode: exitCodes.partial, cause: error });
    }
  }
};
