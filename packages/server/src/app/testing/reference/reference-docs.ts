import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { commentOn } from '@svc/api/descriptions';
import { ChannelEventSchema, ResourceChangedEventSchema, SessionMessagePartEventSchema } from '@svc/api/events';
import { OwnerReferenceSchema, ResourceConditionSchema, ResourceMetaSchema } from '@svc/api/resources';
import { kinds } from '../../../resources/index.ts';
import { readExamples } from './examples.ts';
import { kindFile, kindPage } from './kind-page.ts';
import { page, table } from './markdown.ts';
import { fieldTable, messageTables } from './message-tables.ts';
import { operationsPage } from './operation-pages.ts';

const root = join(import.meta.dirname, '../../../../../..');

/** All files of docs/reference by their path in it. */
export const referenceDocs = (): ReadonlyMap<string, string> => {
  const examples = readExamples(root);
  return new Map([
    ['README.md', indexPage()],
    ...kinds.map((row): [string, string] => [kindFile(row), kindPage(row, examples.get(row.kind))]),
    ['metadata.md', metadataPage()],
    ['operations.md', operationsPage()],
    ['events.md', eventsPage()],
  ]);
};

const indexPage = (): string =>
  page([
    '# Reference',
    'Made from `proto/`, its comments and tables of the server by `npm run generate`: change it there. `svc explain KIND[.FIELD]` shows ' +
      'the same at a terminal. Fields have the names of JSON and manifests. A 64-bit integer is a string in JSON.',
    table(
      ['Kind', 'What it is'],
      kinds.map((row) => [`[${row.kind}](${kindFile(row)})`, commentOn(row.full)]),
    ),
    table(
      ['Further', ''],
      [
        ['[Metadata and conditions](metadata.md)', 'what every resource has'],
        ['[Operations](operations.md)', 'every call with path, role, fields and errors'],
        ['[Events](events.md)', 'what streams and watches send'],
        ['[Configuration](../configuration.md)', 'every key with its variable, value and default'],
        ['[Access](../access.md)', 'credentials, claims of tokens, roles and what each may do'],
        ['[Command line](../cli.md)', 'every command with its flags'],
      ],
    ),
  ]);

const metadataPage = (): string =>
  page([
    '# Metadata and conditions',
    commentOn(ResourceMetaSchema),
    fieldTable(ResourceMetaSchema),
    ...[OwnerReferenceSchema, ResourceConditionSchema].flatMap((message) => [
      `## ${message.name}`,
      commentOn(message),
      fieldTable(message),
    ]),
  ]);

const eventsPage = (): string =>
  page([
    '# Events',
    'What the operations that stream send. A stream that ends early can be resumed: after `cursor` for sessions and channels, after ' +
      '`resourceVersion` for resources.',
    ...[
      [SessionMessagePartEventSchema, 'StreamSessionParts, StreamSessionPartsBatch'] as const,
      [ChannelEventSchema, 'StreamChannelEvents'] as const,
      [ResourceChangedEventSchema, 'WatchResources'] as const,
    ].flatMap(([message, operations]) => [
      `## ${message.name}`,
      `${commentOn(message)} Sent by ${operations}.`,
      ...messageTables(message),
    ]),
  ]);

/** As a program: writes all files below the folder that is given, in place of what is there. */
const target = process.argv[2];
if (import.meta.main && target !== undefined) {
  rmSync(target, { recursive: true, force: true });
  for (const [path, text] of referenceDocs()) {
    mkdirSync(dirname(join(target, path)), { recursive: true });
    writeFileSync(join(target, path), text);
  }
}
