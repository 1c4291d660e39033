import type { JsonObject, JsonValue } from '@bufbuild/protobuf';
import type { GlobalOptions } from '../connection.ts';
import { listUpTo, openPlain, type ScopeOptions } from '../context.ts';
import type { Host } from '../host.ts';
import { mapOf, msOf, textOf } from '../json-value.ts';
import { listItems } from '../kinds/index.ts';
import { type OutputForm, outputForm, printList, resourceList } from '../output.ts';
import { age, renderTable, sizeText } from '../terminal/index.ts';

export interface MemoryListOptions extends ScopeOptions {
  readonly identity?: string;
}

/** `svc file list [PREFIX]`: files by path. */
export const listFiles = async (
  host: Host,
  prefix: string | undefined,
  options: GlobalOptions & ScopeOptions,
): Promise<void> => {
  const form = outputForm(options.output);
  const context = await openPlain(host, options);
  const { call, target, scope, note } = context;
  // Stored paths begin with a slash.
  const pathPrefix = prefix === undefined || prefix.startsWith('/') ? (prefix ?? '') : `/${prefix}`;
  const request = { ns: target.namespace, pathPrefix, labelSelector: scope.selector, member: 'files' };
  const files = await listUpTo(context, context.limit, (limit) =>
    listItems({ call, limit }, 'FileService/ListFiles', request),
  );
  const none = `no files${pathPrefix === '' ? '' : ` below ${pathPrefix}`} in namespace ${target.namespace}`;
  await printFiles(host, files, { form, none: () => note(none) });
};

/** `svc memory list [--identity ID]`: what agents remember, for all or for one identity. */
export const listMemory = async (host: Host, options: GlobalOptions & MemoryListOptions): Promise<void> => {
  const form = outputForm(options.output);
  const context = await openPlain(host, options);
  const { call, target, note } = context;
  const request = { ns: target.namespace, identity: options.identity ?? '', member: 'files' };
  const files = await listUpTo(context, context.limit, (limit) =>
    listItems({ call, limit }, 'FileService/ListMemory', request),
  );
  const owner = options.identity === undefined ? 'shared ' : '';
  await printFiles(host, files, { form, none: () => note(`no ${owner}memory in namespace ${target.namespace}`) });
};

const printFiles = async (
  host: Host,
  files: readonly JsonObject[],
  { form, none }: { readonly form: OutputForm; readonly none: () => void },
): Promise<void> => {
  if (form.form === 'name')
    return host.stdout.write(files.map(({ metadata }) => `file/${textOf(mapOf(metadata)['name'])}\n`).join(''));
  if (form.form !== 'table' && form.form !== 'wide') {
    const items = files.map((file) => ({ apiVersion: 'svc/v1', kind: 'File', ...file }));
    return printList(host, resourceList(items), form);
  }
  if (files.length === 0) return none();
  const isWide = form.form === 'wide';
  const headings = ['PATH', 'SIZE', 'TYPE', 'PURPOSE', 'UPDATED'];
  const more = ['PHASE', 'INDEX', 'RETENTION', 'NAME', 'SHA256'];
  const rows = files.map((file) => [...cellsOf(host, file), ...(isWide ? wideCellsOf(file) : [])]);
  const columns = host.stdout.isTerminal ? host.stdout.columns : undefined;
  host.stdout.write(renderTable(isWide ? [...headings, ...more] : headings, rows, columns));
};

const cellsOf = (host: Host, file: JsonObject): readonly string[] => {
  const { path, mediaType, purpose } = mapOf(file['spec']);
  const { objectRef, updatedAt } = mapOf(file['status']);
  return [
    textOf(path),
    objectRef === undefined ? '-' : sizeText(Number(textOf(mapOf(objectRef)['sizeBytes']))),
    textOf(mediaType) || '-',
    wordOf('FILE_PURPOSE_', purpose),
    msOf(updatedAt) === 0 ? '-' : age(msOf(updatedAt), host.nowMs()),
  ];
};

const wideCellsOf = (file: JsonObject): readonly string[] => {
  const { indexPolicy, retention } = mapOf(file['spec']);
  const { phase, objectRef } = mapOf(file['status']);
  return [
    textOf(phase) || '-',
    wordOf('FILE_INDEX_POLICY_', indexPolicy),
    wordOf('FILE_RETENTION_', retention),
    textOf(mapOf(file['metadata'])['name']),
    textOf(mapOf(objectRef)['sha256']).slice(0, 12) || '-',
  ];
};

/** An enum as a flag names it: `memory` for FILE_PURPOSE_MEMORY. */
const wordOf = (prefix: string, value: JsonValue | undefined): string => {
  const word = textOf(value).replace(prefix, '').toLowerCase();
  return word === 'unspecified' || word === '' ? '-' : word;
};
