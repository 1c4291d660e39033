import type { JsonObject } from '@bufbuild/protobuf';
import { mapOf, mapsOf, textOf } from '../json-value.ts';
import { type Item, type Kind, listItems, type Scope } from './kind.ts';
import { ageOf, labelText, manifestForm, reasonText } from './resource-json.ts';
import { addressOf, removeGeneric } from './resource-kind.ts';

/** Model of the profile that a turn would use: `default`, else the first. */
const modelText = (spec: JsonObject): string => {
  const profiles = mapsOf(mapOf(spec['modelPolicy'])['profiles']);
  const profile = profiles.find((candidate) => candidate['name'] === 'default') ?? profiles[0];
  const { provider, name } = mapOf(profile?.['model']);
  if (textOf(name) === '') return '(default)';
  return textOf(provider) === '' ? textOf(name) : `${textOf(provider)}/${textOf(name)}`;
};

/** `agent` has metadata, spec and status. */
const itemOf = (scope: Scope, agent: JsonObject): Item => {
  const [metadata, spec, status] = [mapOf(agent['metadata']), mapOf(agent['spec']), mapOf(agent['status'])];
  const name = textOf(metadata['name']);
  return {
    name,
    namespace: textOf(metadata['namespace']) || scope.namespace,
    json: { apiVersion: 'svc/v1', kind: 'Agent', ...agent },
    cells: [name, textOf(status['phase']) || '-', modelText(spec), ageOf(metadata, scope.host.nowMs())],
    wideCells: [reasonText(status), textOf(status['lastSessionId']) || '-', labelText(metadata['labels'])],
  };
};

/** Agents, by calls of their own: those are what a grant on one agent allows. */
export const agentKind: Kind = {
  name: 'Agent',
  plural: 'agents',
  words: ['agent', 'agents'],
  isNamespaced: true,
  headings: ['name', 'phase', 'model', 'age'],
  wideHeadings: ['reason', 'last session', 'labels'],
  list: async (scope) => {
    const request = { ns: scope.namespace, labelSelector: scope.selector, member: 'agents' };
    return (await listItems(scope, 'GatewayService/ListAgents', request)).map((agent) => itemOf(scope, agent));
  },
  get: async (scope, name) => {
    const { agent } = await scope.call('GatewayService/GetAgent', { ns: scope.namespace, name });
    return itemOf(scope, mapOf(agent));
  },
  remove: (scope, name, options) => removeGeneric(scope, addressOf(scope, 'Agent', name), options),
  itemOf: (scope, resource) => itemOf(scope, manifestForm(resource)),
};
