import { ContentMode } from '@svc/api/gateway';
import type { File } from '@svc/api/resources';
import { isSvcError, SvcError } from '@svc/client';
import type { CommandContext } from '../context.ts';
import { collectPages } from '../kinds/index.ts';

/** Files that a search for one path checks. */
const FILES_SEARCHED = 10_000;

/** A path in its stored form: with a leading slash. */
export const storedPath = (word: string): string => (word.startsWith('/') ? word : `/${word}`);

/** The file at a path of the namespace; undefined if there is none. */
export const fileAt = async ({ client, target }: CommandContext, path: string): Promise<File | undefined> => {
  const found = await collectPages(FILES_SEARCHED, async (pageToken, pageSize) => {
    const page = await client.files.listFiles({ ns: target.namespace, pathPrefix: path, pageToken, pageSize });
    return { items: page.files.filter(({ spec }) => spec?.path === path), next: page.nextPageToken };
  });
  return found[0];
};

/** The file that an argument means: a path, or the name of the resource. Throws NOT_FOUND. */
export const findFile = async (context: CommandContext, word: string): Promise<File> => {
  const named = word.includes('/') ? undefined : await fileNamed(context, word);
  const found = named ?? (await fileAt(context, storedPath(word)));
  if (found !== undefined) return found;
  throw new SvcError({
    code: 'NOT_FOUND',
    reason: 'FILE_NOT_FOUND',
    message: `there is no file ${storedPath(word)} in namespace ${context.target.namespace}`,
  });
};

const fileNamed = async ({ client, target }: CommandContext, name: string): Promise<File | undefined> => {
  try {
    return (await client.files.readFile({ ns: target.namespace, name, content: ContentMode.NONE })).file;
  } catch (error) {
    if (isSvcError(error) && error.reason === 'FILE_NOT_FOUND') return undefined;
    throw error;
  }
};
