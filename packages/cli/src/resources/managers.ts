import type { JsonValue } from '@bufbuild/protobuf';
import { mapOf, mapsOf } from '../json-value.ts';
import type { Item, Kind } from '../kinds/index.ts';

/** What manages a resource besides people: its controller, a deployment, an apply set, an agent template. */
const managersOf = ({ json }: Item): string => {
  const { ownerReferences, labels, annotations } = mapOf(json['metadata']);
  const owners = mapsOf(ownerReferences)
    .filter((owner) => owner['controller'] === true)
    .map((owner) => `${String(owner['kind'])}/${String(owner['name'])}`);
  const named = (word: string, value: JsonValue | undefined): readonly string[] =>
    typeof value === 'string' && value !== '' ? [`${word}/${value}`] : [];
  const all = [
    ...owners,
    ...named('Deployment', mapOf(labels)['svc/deployment']),
    ...named('set', mapOf(annotations)['svc/apply-set']),
    ...named('template', mapOf(annotations)['svc/template']),
  ];
  return all.length === 0 ? '-' : [...new Set(all)].join(', ');
};

/** The kind with another column for what manages each resource. */
export const withManagers = (kind: Kind): Kind => {
  const managed = (item: Item): Item => ({ ...item, cells: [...item.cells, managersOf(item)] });
  return {
    ...kind,
    headings: [...kind.headings, 'managed by'],
    list: async (scope) => (await kind.list(scope)).map(managed),
    get: async (scope, name) => managed(await kind.get(scope, name)),
    itemOf: (scope, resource) => managed(kind.itemOf(scope, resource)),
  };
};
