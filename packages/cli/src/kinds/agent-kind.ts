import { create } from '@bufbuild/protobuf';
import { type Agent, AgentSchema } from '@svc/api/resources';
import { collectPages, type Item, type Kind, type Scope } from './kind.ts';
import { ageOf, labelText, resourceJson } from './resource-json.ts';
import { addressOf, removeGeneric } from './resource-kind.ts';

/** Model of the profile that a turn would use: `default`, else the first. */
const modelText = (agent: Agent | undefined): string => {
  const profiles = agent?.spec?.modelPolicy?.profiles ?? [];
  const profile = profiles.find((candidate) => candidate.name === 'default') ?? profiles[0];
  const model = profile?.model;
  if (model === undefined) return '(default)';
  return model.provider === '' ? model.name : `${model.provider}/${model.name}`;
};

const itemOf = (scope: Scope, agent: Agent | undefined): Item => {
  const metadata = agent?.metadata;
  const phase = agent?.status?.phase ?? '';
  return {
    name: metadata?.name ?? '',
    namespace: metadata?.namespace ?? scope.namespace,
    json: agent === undefined ? {} : resourceJson(AgentSchema, agent),
    cells: [metadata?.name ?? '', phase === '' ? '-' : phase, modelText(agent), ageOf(metadata, scope.world.nowMs())],
    wideCells: [agent?.status?.lastSessionId ?? '-', labelText(metadata?.labels)],
  };
};

export const agentKind: Kind = {
  name: 'Agent',
  plural: 'agents',
  words: ['agent', 'agents'],
  isNamespaced: true,
  headings: ['name', 'phase', 'model', 'age'],
  wideHeadings: ['last session', 'labels'],
  list: async (scope) => {
    const found = await collectPages(scope.limit, async (pageToken, pageSize) => {
      const request = { ns: scope.namespace, pageToken, pageSize, labelSelector: scope.selector };
      const page = await scope.client.gateway.listAgents(request);
      return { items: page.agents, next: page.nextPageToken };
    });
    return found.map((agent) => itemOf(scope, agent));
  },
  get: async (scope, name) => itemOf(scope, (await scope.client.gateway.getAgent({ ns: scope.namespace, name })).agent),
  remove: (scope, name, options) => removeGeneric(scope, addressOf(scope, 'Agent', name), options),
  itemOf: (scope, { metadata, spec, status }) =>
    itemOf(
      scope,
      create(AgentSchema, {
        ...(metadata === undefined ? {} : { metadata }),
        ...(spec?.kind.case === 'agent' ? { spec: spec.kind.value } : {}),
        ...(status?.kind.case === 'agent' ? { status: status.kind.value } : {}),
      }),
    ),
};
