import { beforeAll, describe, expect, it } from 'vitest';
import { AppUnderTest } from './testing/index.ts';

const OWN = 'acme:team:own';
/** Where the thing that is referred to may lie, seen from `OWN`. */
const PLACES = {
  own: OWN,
  parent: 'acme:team',
  grandparent: 'acme',
  sibling: 'acme:team:sibling',
  system: 'system',
} as const;
type Place = keyof typeof PLACES;

interface Row {
  /** Places in which it is found; it is missing in all others. */
  readonly found: readonly Place[];
  readonly put: (namespace: string, name: string) => Promise<unknown>;
  /** True when a reference by that name from `OWN` leads there. */
  readonly isResolved: (name: string, namespace: string) => Promise<boolean>;
}

interface Condition {
  readonly type: string;
  readonly status: string;
}

const app = AppUnderTest.ofSuite();
const { rest } = app;

const put = (kind: string, namespace: string, manifest: { name: string; spec: object; annotations?: object }) => {
  const { name, spec, annotations = {} } = manifest;
  const member = kind.charAt(0).toLowerCase() + kind.slice(1);
  return rest.ok(`PUT /v1/ns/${namespace}/resources/${kind}/${name}`, {
    manifest: { kind, metadata: { name, annotations }, spec: { [member]: spec } },
  });
};

/** A new agent in `OWN` whose condition says whether what it names was found. */
const agentFinds = async (name: string, spec: object, condition: string): Promise<boolean> => {
  const { agent } = await rest.ok<{ agent: { status: { conditions: readonly Condition[] } } }>(
    `POST /v1/ns/${OWN}/agents`,
    { name: `for-${name}`, spec },
  );
  return agent.status.conditions.find(({ type }) => type === condition)?.status === 'True';
};

const accepts = async (what: string, body?: unknown): Promise<boolean> => (await rest.call(what, body)).status === 200;

const server = { transport: 'http', target: 'http://127.0.0.1:1/mcp' };
const near: readonly Place[] = ['own', 'parent', 'grandparent'];

/** The table of PL-3, row by row. */
const ROWS: Readonly<Record<string, Row>> = {
  'mcp_server_refs of an agent': {
    found: [...near, 'system'],
    put: (ns, name) => put('McpServer', ns, { name, spec: server }),
    isResolved: (name) => agentFinds(name, { mcpServerRefs: [name] }, 'ReferencesResolved'),
  },
  'server_ref of a binding': {
    found: [...near, 'system'],
    put: (ns, name) => put('McpServer', ns, { name, spec: server }),
    isResolved: (name) =>
      accepts(`POST /v1/namespaces/${OWN}/mcp-bindings`, {
        mcpServerBinding: { metadata: { name: `b-${name}` }, spec: { serverRef: name } },
      }),
  },
  'a binding': {
    found: ['own'],
    put: async (ns, name) => {
      await put('McpServer', ns, { name: `s-${name}`, spec: server });
      await put('McpServerBinding', ns, { name, spec: { serverRef: `s-${name}` } });
    },
    isResolved: (name) => agentFinds(name, { mcpServerRefs: [name] }, 'ReferencesResolved'),
  },
  'a skill': {
    found: near,
    put: (ns, name) => put('Skill', ns, { name, spec: { description: 'd', instructions: 'i' } }),
    isResolved: (name) => agentFinds(name, { features: [{ type: 'skill', name }] }, 'FeaturesAvailable'),
  },
  'knowledge by its path': {
    found: near,
    put: (ns, name) => put('Knowledge', ns, { name, spec: { path: `${name}.md`, content: 'x' } }),
    isResolved: async (name) => {
      await rest.call(`POST /v1/ns/${OWN}/agents`, { name: 'reader' });
      return accepts(`GET /v1/ns/${OWN}/agents/reader/knowledge?path=${name}.md`);
    },
  },
  'the class of a sandbox policy': {
    found: [...near, 'system'],
    put: (ns, name) => put('SandboxClass', ns, { name, spec: { provider: 'demo' } }),
    isResolved: async (name) => {
      const answer = (await put('SandboxPolicy', OWN, { name: `p-${name}`, spec: { classRef: { name } } })) as {
        resource: { status: { sandboxPolicy: { conditions: readonly Condition[] } } };
      };
      const { conditions } = answer.resource.status.sandboxPolicy;
      return conditions.find(({ type }) => type === 'ReferencesResolved')?.status === 'True';
    },
  },
  'the named class of a sandbox policy': {
    found: [...near, 'system'],
    put: (ns, name) => put('SandboxClass', ns, { name, spec: { provider: 'demo' } }),
    isResolved: (name, namespace) =>
      accepts(`PUT /v1/ns/${OWN}/resources/SandboxPolicy/q-${name}`, {
        manifest: { kind: 'SandboxPolicy', spec: { sandboxPolicy: { classRef: { name, namespace } } } },
      }),
  },
  'the class of a connector': {
    found: near,
    put: (ns, name) => put('ConnectorClass', ns, { name, spec: { runtime: { endpoint: 'http://127.0.0.1:1' } } }),
    isResolved: (name, namespace) =>
      accepts(`PUT /v1/ns/${OWN}/resources/Connector/c-${name}`, {
        manifest: { kind: 'Connector', spec: { connector: { classRef: { name, namespace } } } },
      }),
  },
  'the template of an agent': {
    found: ['system'],
    put: (ns, name) => put('Template', ns, { name, spec: { kind: 'Agent', specJson: '{}' } }),
    isResolved: (name) => accepts(`POST /v1/ns/${OWN}/agents`, { name: `t-${name}`, template: name }),
  },
  'a secret': {
    found: ['own'],
    put: (ns, name) => put('Secret', ns, { name, spec: { stringData: { key: 'x' } } }),
    isResolved: (name) => agentFinds(name, { a2a: { connections: [connection(name)] } }, 'ReferencesResolved'),
  },
  'a secret that may be inherited': {
    found: near,
    put: (ns, name) =>
      put('Secret', ns, {
        name,
        spec: { stringData: { key: 'x' } },
        annotations: { 'option.svc/inheritable': 'true' },
      }),
    isResolved: (name) => agentFinds(name, { a2a: { connections: [connection(name)] } }, 'ReferencesResolved'),
  },
  'a usage policy for its namespace and those below': {
    found: near,
    put: (ns, name) =>
      put('UsagePolicy', ns, { name, spec: { namespaceScope: 'recursive', hard: [noSessions(name)] } }),
    isResolved: (name) => isLimited(name),
  },
  'a usage policy for its namespace alone': {
    found: ['own'],
    put: (ns, name) => put('UsagePolicy', ns, { name, spec: { namespaceScope: 'self', hard: [noSessions(name)] } }),
    isResolved: (name) => isLimited(name),
  },
  'the agent of a subscription': {
    found: ['own'],
    put: (ns, name) => rest.ok(`POST /v1/ns/${ns}/agents`, { name }),
    isResolved: async (name) => {
      await rest.call(`POST /v1/ns/${OWN}/channels`, { channel: { metadata: { name: 'room' } } });
      return accepts(`PUT /v1/ns/${OWN}/resources/ChannelSubscription/${name}`, {
        parent: 'room',
        manifest: { kind: 'ChannelSubscription', spec: { channelSubscription: { channel: 'room', agent: name } } },
      });
    },
  },
};

const connection = (secret: string) => ({
  name: 'c',
  target: { external: { agentCardUrl: 'https://agent.example' } },
  auth: { kind: 'bearer', secretRef: `secret://${secret}/key` },
});
const noSessions = (name: string) => ({
  metric: 'agent.sessions',
  max: '0',
  window: '1h',
  selector: { agent: `limited-${name}` },
});
const isLimited = async (name: string): Promise<boolean> => {
  await rest.ok(`POST /v1/ns/${OWN}/agents`, { name: `limited-${name}` });
  return (await rest.outcome(`POST /v1/ns/${OWN}/agents/limited-${name}/sessions`, {})) === '429 QUOTA_EXCEEDED';
};

describe('a reference (PL-3)', () => {
  beforeAll(async () => {
    for (const namespace of ['acme:team:own', 'acme:team:sibling'])
      await rest.ok(`POST /v1/namespaces/${namespace}`, { recursive: true });
  });

  const cases = Object.entries(ROWS).flatMap(([what, row], index) =>
    Object.keys(PLACES).map((place) => [what, place as Place, row, `${place}-${index}`] as const),
  );
  it.each(cases)('to %s looks into its places and no other: %s', async (...[, place, row, name]) => {
    await row.put(PLACES[place], name);
    expect(await row.isResolved(name, PLACES[place])).toBe(row.found.includes(place));
  });

  it('takes the nearest of several, and nothing of a tombstone', async () => {
    const path = `/v1/ns/${OWN}/agents/near/knowledge?path=which.md`;
    await rest.ok(`POST /v1/ns/${OWN}/agents`, { name: 'near' });
    const content = async (): Promise<string> => {
      const { modules } = await rest.ok<{ modules: readonly { content: string }[] }>(`GET ${path}`);
      return modules.map((module) => module.content).join();
    };
    for (const [place, namespace] of [
      ['grandparent', 'acme'],
      ['parent', 'acme:team'],
      ['own', OWN],
    ] as const) {
      await put('Knowledge', namespace, { name: 'which', spec: { path: 'which.md', content: place } });
      expect(await content()).toBe(place);
    }
    await rest.ok('DELETE /v1/namespaces/acme:team:sibling');
    await rest.ok('POST /v1/namespaces/gone', {});
    await put('McpServer', 'gone', { name: 'buried', spec: server });
    await rest.ok('DELETE /v1/namespaces/gone');
    expect(await agentFinds('buried', { mcpServerRefs: ['buried'] }, 'ReferencesResolved')).toBe(false);
  });
});
