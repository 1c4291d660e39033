import { basename, resolve } from 'node:path';
import { type File, FileIndexPolicy, FilePurpose, FileRetention } from '@svc/api/resources';
import type { GlobalOptions } from '../connection.ts';
import { openContext } from '../context.ts';
import { CommandFailure } from '../failure.ts';
import type { Host } from '../host.ts';
import { kindOf } from '../kinds/index.ts';
import { mediaTypeOf } from '../media-type.ts';
import { outputForm, printItems } from '../output.ts';
import { sizeText } from '../terminal/index.ts';
import { localContent } from './content.ts';
import { fileAt, storedPath } from './find-file.ts';
import { store } from './upload.ts';

/** Flags of `put` and `promote` that describe the file. */
export interface FileFacts {
  readonly mediaType?: string;
  readonly purpose?: string;
  readonly index?: string;
  readonly retention?: string;
}

export interface PutOptions extends GlobalOptions, FileFacts {}

/**
 * `svc file put LOCAL [PATH]`: stores a local file at a path of the namespace and replaces what was there. Bytes that the server
 * has already are not sent again.
 */
export const putFile = async (host: Host, words: readonly string[], options: PutOptions): Promise<void> => {
  const [local = '', given = ''] = words;
  const path = pathFor(local, given);
  const facts = specOf(options);
  const content = await localContent(host, local, resolve(host.cwd, local));
  const context = await openContext(host, options);
  const present = await fileAt(context, path);
  const filename = local === '-' ? basename(path) : basename(local);
  const mediaType = options.mediaType ?? (present === undefined ? mediaTypeOf(path) : undefined);
  const spec = { path, ...facts, ...(mediaType === undefined ? {} : { mediaType }) };
  if (present !== undefined && holds(present, content.sha256) && !changes(present, spec)) {
    context.note(`${path} holds these bytes already: nothing is sent`);
    return report(host, { file: present, verb: 'unchanged' }, options);
  }
  if (present !== undefined && holds(present, content.sha256)) {
    const name = present.metadata?.name ?? '';
    const { file } = await context.client.files.updateFile({ ns: context.target.namespace, name, file: { spec } });
    context.note(`${path} holds these bytes already: nothing is sent`);
    return report(host, { file, verb: 'updated' }, options);
  }
  const stored = await store(context, { file: { spec }, content, filename }, present);
  if (!stored.isSent) context.note('an earlier run had sent these bytes: nothing is sent again');
  await report(host, { file: stored.file, verb: present === undefined ? 'created' : 'replaced' }, options);
};

const pathFor = (local: string, given: string): string => {
  if (given === '' && local === '-')
    throw new CommandFailure('which path is it to have?', { hint: 'svc file put - /notes/today.md' });
  if (given === '' || given.endsWith('/')) return storedPath(`${given}${basename(local)}`);
  return storedPath(given);
};

/** The enums of a file spec that were given by their short names. */
export const specOf = ({ purpose, index, retention }: FileFacts) => ({
  ...(purpose === undefined ? {} : { purpose: enumOf('--purpose', FilePurpose, purpose) }),
  ...(index === undefined ? {} : { indexPolicy: enumOf('--index', FileIndexPolicy, index) }),
  ...(retention === undefined ? {} : { retention: enumOf('--retention', FileRetention, retention) }),
});

const enumOf = <E extends Readonly<Record<string, string | number>>>(flag: string, all: E, word: string): number => {
  const value = all[word.toUpperCase()];
  if (typeof value === 'number' && value !== 0) return value;
  const words = Object.entries(all).flatMap(([name, number]) =>
    typeof number === 'number' && number !== 0 ? [name.toLowerCase()] : [],
  );
  throw new CommandFailure(`${flag} ${word} is not known`, { hint: `one of ${words.join(', ')}` });
};

const holds = ({ status }: File, sha256: string): boolean => status?.objectRef?.sha256 === sha256;

const changes = ({ spec }: File, wanted: Readonly<Record<string, unknown>>): boolean =>
  Object.entries(wanted).some(([name, value]) => spec?.[name as keyof typeof spec] !== value);

/** A line for people, or the resource in the requested form. */
export const report = async (
  host: Host,
  done: { readonly file: File | undefined; readonly verb: string },
  options: GlobalOptions,
): Promise<void> => {
  const { file, verb } = done;
  const form = outputForm(options.output);
  const name = file?.metadata?.name ?? '';
  if (form.form === 'table' || form.form === 'wide') {
    const size = sizeText(Number(file?.status?.objectRef?.sizeBytes ?? 0));
    return host.stdout.write(`${file?.spec?.path ?? name} ${verb} (${size})\n`);
  }
  const kind = kindOf('file');
  const { scope } = await openContext(host, options);
  await printItems(host, { kind, items: [await kind.get(scope, name)], isList: false, isAcross: false }, form);
};
