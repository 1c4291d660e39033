import type { JsonObject } from '@bufbuild/protobuf';
import { CommandFailure } from '../failure.ts';
import { isMap, mapOf, textOf } from '../json-value.ts';
import { type KindNames, RESOURCE_KINDS } from '../kind-names.ts';
import { type Item, type Kind, listItems, type RemoveOptions, type Scope } from './kind.ts';
import { columnCells, columnHeadings } from './kind-columns.ts';
import { ageOf, labelText, manifestForm, reasonText } from './resource-json.ts';

const itemOf = (scope: Scope, resource: JsonObject): Item => {
  const json = manifestForm(resource);
  const [metadata, spec, status] = [mapOf(json['metadata']), mapOf(json['spec']), mapOf(json['status'])];
  const kind = textOf(json['kind']);
  const nowMs = scope.host.nowMs();
  const channel = kind === 'ChannelSubscription' ? textOf(spec['channel']) : '';
  const name = `${channel === '' ? '' : `${channel}/`}${textOf(metadata['name'])}`;
  const phase = textOf(status['phase']).replace(/^[A-Z_]*PHASE_/, '');
  return {
    name,
    namespace: textOf(metadata['namespace']) || scope.namespace,
    json,
    cells: [name, phase || '-', ...columnCells(kind, { spec, status, nowMs }), ageOf(metadata, nowMs)],
    wideCells: [reasonText(status), textOf(metadata['resourceVersion']) || '-', labelText(metadata['labels'])],
  };
};

/** Address of one resource in the ResourceService. */
export interface ResourceAddress {
  readonly ns: string;
  readonly kind: string;
  /** Channel of a subscription, else ''. */
  readonly parent: string;
  readonly name: string;
}

/** A subscription is addressed with its channel, `channel/name`; a namespace is its own namespace. */
export const addressOf = (scope: Pick<Scope, 'namespace'>, kind: string, name: string): ResourceAddress => {
  if (kind === 'Namespace') return { ns: name, kind, parent: '', name };
  const slash = kind === 'ChannelSubscription' ? name.indexOf('/') : -1;
  if (kind === 'ChannelSubscription' && slash < 0)
    throw new CommandFailure(`which channel is ${name} in?`, { hint: `write it as CHANNEL/${name}` });
  return { ns: scope.namespace, kind, parent: name.slice(0, Math.max(0, slash)), name: name.slice(slash + 1) };
};

/** Deletes a resource through the ResourceService; returns a note about it. */
export const removeGeneric = async (
  { call }: Pick<Scope, 'call'>,
  address: ResourceAddress,
  { propagation = 'DELETE_PROPAGATION_BACKGROUND', isForced = false }: RemoveOptions,
): Promise<string> => {
  const { pending } = await call('ResourceService/DeleteResource', { ...address, propagation, force: isForced });
  return pending === true ? 'is being deleted' : 'deleted';
};

/** A kind whose resources are shown and deleted through the ResourceService. */
const resourceKind = (words: KindNames): Kind => {
  const { name: kind, plural, short, home } = words;
  const at = (scope: Scope): Scope => (home === undefined ? scope : { ...scope, namespace: home });
  return {
    name: kind,
    plural,
    words: [kind.toLowerCase(), plural, ...(short === undefined ? [] : [short])],
    isNamespaced: home === undefined,
    headings: ['name', 'phase', ...columnHeadings(kind), 'age'],
    wideHeadings: ['reason', 'version', 'labels'],
    list: async (scope) => {
      const request = { ns: at(scope).namespace, kind, labelSelector: scope.selector, member: 'resources' };
      const found = await listItems(scope, 'ResourceService/ListResources', request);
      return found.map((resource) => itemOf(scope, resource));
    },
    get: async (scope, name) => {
      const { resource } = await scope.call('ResourceService/GetResource', { ...addressOf(at(scope), kind, name) });
      if (isMap(resource)) return itemOf(scope, resource);
      throw new CommandFailure(`the server answered no ${kind}`);
    },
    remove: (scope, name, options) => removeGeneric(scope, addressOf(at(scope), kind, name), options),
    itemOf,
  };
};

/** Kinds without calls of their own here. */
export const resourceKinds: readonly Kind[] = RESOURCE_KINDS.map(resourceKind);

/** A kind of another API group: only its exact name identifies it, and its spec is any JSON. */
export const customKind = (name: string): Kind => resourceKind({ name, plural: name });
