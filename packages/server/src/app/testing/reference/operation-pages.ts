import type { DescMethod } from '@bufbuild/protobuf';
import { operationText } from '@svc/api/descriptions';
import { type Method, methods, services } from '@svc/api/methods';
import { accessFacts } from '../../../auth/testing/access-facts.ts';
import { code, page, table } from './markdown.ts';
import { fieldTable } from './message-tables.ts';

const NEEDS: Readonly<Record<string, string>> = {
  any: 'any credential',
  callback: 'callback secret of a connector',
};

/** Where the rights must lie, by the rule of the access table. */
const TARGETS: Readonly<Record<string, string>> = {
  system: 'on namespace system',
  unscoped: 'on everything',
  'namespace-parent': 'on the parent namespace',
  'namespace-list': 'on parent; without it the answer is filtered',
  manifests: 'on every namespace of the documents',
  batch: 'on every session',
  audit: 'on ns; on everything without it',
};

/** The page of all operations, and how each is called. */
export const operationsPage = (): string =>
  page([
    '# Operations',
    introduction,
    ...general,
    ...services.flatMap((service) => [
      `## ${service.name}`,
      ...methods.filter((method) => method.service === service.typeName).flatMap(operationPart),
    ]),
  ]);

const introduction =
  'Every operation can be called by gRPC, gRPC-web and Connect under its full name, and by REST under its path. In REST, fields that ' +
  'the path names are taken from it, the others from the query (GET, DELETE) or from the JSON body.';

const general = [
  'Every operation may answer these errors in addition to its own:',
  table(
    ['Reason', 'Code', 'HTTP', 'When'],
    [
      [
        'CREDENTIALS_MISSING, CREDENTIALS_INVALID, CREDENTIALS_EXPIRED, KEY_REVOKED',
        'UNAUTHENTICATED',
        '401',
        'the credential does not count',
      ],
      [
        'ROLE, SCOPE',
        'PERMISSION_DENIED',
        '403',
        'no grant of the caller covers the target with the role that is needed',
      ],
      [
        'FIELD_INVALID, FIELD_UNKNOWN, JSON_INVALID, PARAMETER_UNKNOWN',
        'INVALID_ARGUMENT',
        '400',
        'the request is wrong; violations name the fields',
      ],
      [
        'NAMESPACE_MISSING, NAMESPACE_DELETED',
        'FAILED_PRECONDITION',
        '400',
        'a write into a namespace that does not exist or is deleted',
      ],
      [
        'TOO_LARGE',
        'RESOURCE_EXHAUSTED',
        '413 (body), 414 (URL), 431 (headers), 429 (a field)',
        'the request, or a field of it, is larger than its limit; the message names the limit and its setting',
      ],
      ['DEADLINE', 'DEADLINE_EXCEEDED', '504', 'the time of the call is over; a write may have happened'],
      ['STORAGE, SHUTTING_DOWN', 'UNAVAILABLE', '503', 'the store cannot be reached, or the server stops; try again'],
      ['METHOD_UNKNOWN', 'UNIMPLEMENTED', '501', 'the operation is not served'],
      ['INTERNAL', 'INTERNAL', '500', 'a mistake of the server; its log has the request id'],
    ],
  ),
];

const operationPart = (method: Method): readonly string[] => {
  const { text, errors } = operationText(method.descriptor);
  return [
    `### ${method.name}`,
    text,
    table(
      ['', ''],
      [
        ['REST', code(`${method.http.verb} ${method.http.path}`)],
        ['RPC', code(method.rpcPath)],
        ['Role', roleOf(method.descriptor)],
        ['Answer', method.kind === 'server_streaming' ? `stream of ${method.output.name}` : method.output.name],
        ['Errors', errors === '' ? 'only the general ones' : errors],
      ],
    ),
    fieldTable(method.input),
  ];
};

const roleOf = (method: DescMethod): string => {
  const access = accessFacts.get(`${method.parent.typeName}/${method.name}`);
  if (access === undefined) throw new Error(`${method.name} is not in the table of roles`);
  return [NEEDS[access.need] ?? access.need, TARGETS[access.target] ?? ''].join(' ').trim();
};
