import { commentOn } from '@svc/api/descriptions';
import { type KindRow, nameForm } from '../../../resources/index.ts';
import type { Example } from './examples.ts';
import { code, page, table } from './markdown.ts';
import { messageTables } from './message-tables.ts';

/** File of a kind's page. */
export const kindFile = ({ kind }: KindRow): string =>
  `kinds/${kind.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => `-${letter}`).toLowerCase()}.md`;

/** The page of a kind. */
export const kindPage = (row: KindRow, example: Example | undefined): string =>
  page([
    `# ${row.kind}`,
    commentOn(row.full),
    table(['', ''], facts(row)),
    '## Spec',
    ...messageTables(row.spec),
    '## Status',
    'The server alone writes it. Conditions are described in [metadata](../metadata.md).',
    ...messageTables(row.status),
    ...exampleOf(row, example),
  ]);

const facts = (row: KindRow): readonly (readonly string[])[] => [
  [
    'Manifest',
    row.authorable ? `${code('apiVersion: svc/v1')}, ${code(`kind: ${row.kind}`)}` : 'none: the server makes it',
  ],
  ['Name', nameForm[row.names]],
  ['Lives in', row.scope === 'root' ? 'no namespace' : 'a namespace'],
  ...(row.parent === undefined ? [] : [['Belongs to', row.parent === 'channel' ? 'a Channel' : 'an Agent']]),
  ['Written by', writersOf(row)],
  ['On the command line', code(`svc explain ${row.kind.toLowerCase()}`)],
];

const writersOf = ({ writers }: KindRow): string => {
  const { gateway, resourceService, fileService } = writers;
  const named = [
    ...(gateway ? ['operations of GatewayService'] : []),
    ...(fileService ? ['operations of FileService'] : []),
    ...(resourceService === 'all' ? ['manifests and ResourceService'] : []),
    ...(resourceService === 'labels' ? ['ResourceService, labels and annotations only'] : []),
  ];
  return named.length === 0 ? 'the server only' : named.join('; ');
};

const exampleOf = ({ authorable }: KindRow, example: Example | undefined): readonly string[] => {
  if (!authorable) return [];
  if (example === undefined) throw new Error('a kind that people write has no example');
  return ['## Example', `From [${example.path}](../../../${example.path}):`, `\`\`\`yaml\n${example.text}\n\`\`\``];
};
