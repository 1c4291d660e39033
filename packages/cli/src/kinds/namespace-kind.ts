import type { JsonObject } from '@bufbuild/protobuf';
import { CommandFailure } from '../failure.ts';
import { mapOf, textOf } from '../json-value.ts';
import { type Item, type Kind, listItems, requirePlainRemoval, type Scope } from './kind.ts';
import { ageOf, labelText, manifestForm } from './resource-json.ts';
import { addressOf, removeGeneric } from './resource-kind.ts';

/** `namespace` has metadata, spec and status. */
const itemOf = (scope: Scope, namespace: JsonObject): Item => {
  const metadata = mapOf(namespace['metadata']);
  const name = textOf(metadata['name']);
  const phase = textOf(mapOf(namespace['status'])['phase']);
  return {
    name,
    namespace: '',
    json: { apiVersion: 'svc/v1', kind: 'Namespace', ...namespace },
    cells: [name, phase || '-', ageOf(metadata, scope.host.nowMs())],
    wideCells: [textOf(mapOf(namespace['spec'])['parent']) || '-', labelText(metadata['labels'])],
  };
};

const DELETED = 'deleted; creating it again within the grace period brings it back';

/** Namespaces: names are complete, so -n has no effect. */
export const namespaceKind: Kind = {
  name: 'Namespace',
  plural: 'namespaces',
  words: ['namespace', 'namespaces', 'ns'],
  isNamespaced: false,
  headings: ['name', 'phase', 'age'],
  wideHeadings: ['parent', 'labels'],
  list: async (scope) => {
    const request = { labelSelector: scope.selector, member: 'namespaces' };
    const found = await listItems(scope, 'GatewayService/ListNamespaces', request);
    return found.map((namespace) => itemOf(scope, namespace));
  },
  get: async (scope, name) => {
    const { namespace } = await scope.call('GatewayService/GetNamespace', { name });
    return itemOf(scope, mapOf(namespace));
  },
  remove: async (scope, name, options) => {
    const { isPurge = false, isForced = false, ...others } = options;
    requirePlainRemoval('Namespace', others);
    if (isForced && isPurge)
      throw new CommandFailure('--purge and --force are two steps', {
        hint: '--purge first, then --force when finalizers hold the namespace',
      });
    if (isForced) {
      const said = await removeGeneric(scope, addressOf(scope, 'Namespace', name), { isForced });
      return said === 'deleted' ? 'deleted, its finalizers are stripped' : DELETED;
    }
    await scope.call('GatewayService/DeleteNamespace', { name, purge: isPurge });
    return isPurge ? 'deleted, its contents are being removed' : DELETED;
  },
  itemOf: (scope, resource) => itemOf(scope, manifestForm(resource)),
};
