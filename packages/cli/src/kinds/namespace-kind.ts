import { create } from '@bufbuild/protobuf';
import { type Namespace, NamespaceSchema } from '@svc/api/resources';
import { CommandFailure } from '../failure.ts';
import { collectPages, type Item, type Kind, requirePlainRemoval, type Scope } from './kind.ts';
import { ageOf, labelText, resourceJson } from './resource-json.ts';

const itemOf = (scope: Scope, namespace: Namespace | undefined): Item => {
  const name = namespace?.metadata?.name ?? '';
  const phase = namespace?.status?.phase ?? '';
  return {
    name,
    namespace: '',
    json: namespace === undefined ? {} : resourceJson(NamespaceSchema, namespace),
    cells: [name, phase === '' ? '-' : phase, ageOf(namespace?.metadata, scope.world.nowMs())],
    wideCells: [namespace?.spec?.parent || '-', labelText(namespace?.metadata?.labels)],
  };
};

const DELETED = 'deleted; creating it again within the grace period brings it back';

/** Namespaces: names are whole, so -n plays no part. */
export const namespaceKind: Kind = {
  name: 'Namespace',
  plural: 'namespaces',
  words: ['namespace', 'namespaces', 'ns'],
  isNamespaced: false,
  headings: ['name', 'phase', 'age'],
  wideHeadings: ['parent', 'labels'],
  list: async (scope) => {
    const found = await collectPages(scope.limit, async (pageToken, pageSize) => {
      const page = await scope.client.gateway.listNamespaces({ pageToken, pageSize, labelSelector: scope.selector });
      return { items: page.namespaces, next: page.nextPageToken };
    });
    return found.map((namespace) => itemOf(scope, namespace));
  },
  get: async (scope, name) => itemOf(scope, (await scope.client.gateway.getNamespace({ name })).namespace),
  remove: async (scope, name, options) => {
    const { isPurge = false, isForced = false, ...others } = options;
    requirePlainRemoval('Namespace', others);
    if (isForced && isPurge)
      throw new CommandFailure('--purge and --force are two steps', {
        hint: '--purge first, then --force when finalizers hold the namespace',
      });
    if (isForced) {
      const held = { ns: name, kind: 'Namespace', name, force: true };
      const { pending } = await scope.client.resources.deleteResource(held);
      return pending ? DELETED : 'deleted, its finalizers are stripped';
    }
    await scope.client.gateway.deleteNamespace({ name, purge: isPurge });
    return isPurge ? 'deleted, its contents are being removed' : DELETED;
  },
  itemOf: (scope, { metadata, spec, status }) =>
    itemOf(
      scope,
      create(NamespaceSchema, {
        ...(metadata === undefined ? {} : { metadata }),
        ...(spec?.kind.case === 'namespace' ? { spec: spec.kind.value } : {}),
        ...(status?.kind.case === 'namespace' ? { status: status.kind.value } : {}),
      }),
    ),
};
