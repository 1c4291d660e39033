import { describe, expect, it } from 'vitest';
import { silentLog } from '../base/index.ts';
import {
  approvalOf,
  capabilityProblems,
  createToolRegistry,
  grantsOf,
  type Tool,
  type ToolGrants,
  type ToolTurn,
  textResult,
} from './index.ts';

const tool = (
  name: string,
  capability?: Tool['capability'],
  inputSchema: Tool['inputSchema'] = { type: 'object' },
): Tool => ({
  name,
  description: name,
  inputSchema,
  effect: 'read',
  ...(capability === undefined ? {} : { capability }),
  run: async () => textResult(''),
});

const grants = (capabilities: ToolGrants['capabilities'], features: ToolGrants['features'] = []): ToolGrants => ({
  namespace: 'demo',
  agent: 'helper',
  capabilities,
  features,
  mcpServers: [],
  connections: [],
});

const turnOf = (given: ToolGrants): ToolTurn => ({
  grants: given,
  sessionId: 's1',
  turnId: 't1',
  identity: 'anna',
  lineage: [],
  openCalls: [],
  sessionLabels: {},
  signal: new AbortController().signal,
});

const files = { name: 'files', action: 'read' };
const toolset = (name: string, type = 'toolset') => ({ name, type, required: false });

const offeredBy = async (given: ToolGrants, switches = {}): Promise<readonly string[]> => {
  const registry = createToolRegistry({
    tools: [tool('read_file', files), tool('delete_file', { name: 'files', action: 'delete' }), tool('clock')],
    switches,
    log: silentLog,
  });
  return (await registry.offered(turnOf(given))).map(({ tool: { name }, approval }) => `${name}:${approval}`);
};

describe('tools that an agent is not offered', () => {
  const remote = tool('mcp_desk_find', { name: 'mcp', action: 'desk/find', granted: 'always' });
  const registry = createToolRegistry({
    tools: [
      tool('clock'),
      tool('read_file', files),
      tool('delete_file', { name: 'files', action: 'delete' }),
      tool('create_file', { name: 'files', action: 'create' }),
      tool('create_goal', { name: 'goals', action: 'create' }),
    ],
    toolSources: [
      { name: 'mcp', concerns: () => true, tools: async () => [remote] },
      { name: 'rooms', names: ['publish'], concerns: () => false, tools: async () => [] },
    ],
    switches: { files: { create: false } },
    log: silentLog,
  });

  it('have a reason each', async () => {
    const deny = (action: string) => ({ action, approval: 'deny' });
    const given = grants({ files: [deny('delete'), 'create'], goals: ['*'], mcp: [deny('desk/find')] });
    const { offered, withheld } = await registry.judged(turnOf(given));
    expect(offered.map(({ tool: { name } }) => name)).toEqual(['clock']);
    expect(withheld).toEqual([
      {
        name: 'create_file',
        reason: 'SwitchedOff',
        message: 'capabilities.files.create is false in the configuration',
      },
      {
        name: 'create_goal',
        reason: 'FeatureMissing',
        message: 'the agent does not list goals as a feature of type toolset',
      },
      { name: 'delete_file', reason: 'Denied', message: "the agent's capabilities deny files:delete" },
      { name: 'mcp_desk_find', reason: 'Denied', message: "the agent's capabilities deny mcp:desk/find" },
      { name: 'publish', reason: 'Unavailable', message: 'what it works on is not there, or nothing grants it' },
      { name: 'read_file', reason: 'NotGranted', message: "the agent's capabilities do not grant files:read" },
    ]);
  });

  it('are none where all is granted', async () => {
    const given = grants({ files: ['*'], goals: ['*'] }, [toolset('goals')]);
    const { offered, withheld } = await registry.judged(turnOf(given));
    expect(offered).toHaveLength(5);
    expect(withheld.map(({ name }) => name)).toEqual(['create_file', 'publish']);
  });
});

describe('a tool of which parts may be granted', () => {
  const capability = {
    name: 'schedules',
    action: 'create',
    narrower: { of: 'create', actions: ['create:new', 'create:reuse'] },
  };
  const offered = async (entries: readonly unknown[], switches = {}) => {
    const registry = createToolRegistry({ tools: [tool('plan', capability)], switches, log: silentLog });
    const [found] = await registry.offered(turnOf(grants({ schedules: entries })));
    return found === undefined ? 'none' : [found.approval, ...(found.narrower ?? [])].join(' ');
  };
  const entry = (action: string, approval: string) => ({ action, approval });

  it.each<readonly [readonly unknown[], string]>([
    [['create'], 'allow create:new create:reuse'],
    [['*'], 'allow create:new create:reuse'],
    [['create:new'], 'allow create:new'],
    [['update'], 'none'],
    [['create', entry('create:reuse', 'deny')], 'allow create:new'],
    [['create', entry('create:reuse', 'ask')], 'ask create:new create:reuse'],
    [[entry('create', 'deny'), 'create:new'], 'allow create:new'],
  ])('is offered to %j as %s', async (entries, expected) => expect(await offered(entries)).toBe(expected));

  it('keeps what the configuration switches off', async () => {
    expect(await offered(['create'], { schedules: { 'create:new': false } })).toBe('allow create:reuse');
    expect(await offered(['*'], { schedules: { create: false } })).toBe('none');
    expect(await offered(['create'], { files: { read: false } })).toBe('allow create:new create:reuse');
  });
});

describe('offering tools', () => {
  it('always offers tools without a capability, sorted by name', async () => {
    const registry = createToolRegistry({ tools: [tool('b'), tool('a')], log: silentLog });
    expect((await registry.offered(turnOf(grants({})))).map((offer) => offer.tool.name)).toEqual(['a', 'b']);
  });

  it('offers what an action, a star or an object grants, with its approval', async () => {
    expect(await offeredBy(grants({}))).toEqual(['clock:allow']);
    expect(await offeredBy(grants({ files: [] }))).toEqual(['clock:allow']);
    expect(await offeredBy(grants({ files: ['read'] }))).toEqual(['clock:allow', 'read_file:allow']);
    expect(await offeredBy(grants({ files: ['*'] }))).toEqual(['clock:allow', 'delete_file:allow', 'read_file:allow']);
    expect(await offeredBy(grants({ files: [{ action: 'read', approval: 'ask' }] }))).toEqual([
      'clock:allow',
      'read_file:ask',
    ]);
    expect(await offeredBy(grants({ files: [{ action: 'read', namespaces: ['.', '.:*'] }] }))).toEqual([
      'clock:allow',
      'read_file:allow',
    ]);
  });

  it('hides denied actions', async () => {
    expect(await offeredBy(grants({ files: ['*', { action: 'delete', approval: 'deny' }] }))).toEqual([
      'clock:allow',
      'read_file:allow',
    ]);
  });

  it('lets an entry that names the action win over a star, and the strictest among equals', async () => {
    const ask = { action: 'read', approval: 'ask' };
    expect(approvalOf({ files: ['*', ask] }, files)).toBe('ask');
    expect(approvalOf({ files: [{ action: '*', approval: 'ask' }, 'read'] }, files)).toBe('allow');
    expect(approvalOf({ files: ['read', ask] }, files)).toBe('ask');
    expect(approvalOf({ files: ['read', ask, { action: 'read', approval: 'deny' }] }, files)).toBe('deny');
  });

  it('lets the configuration switch off an action or a whole capability everywhere', async () => {
    const all = grants({ files: ['*'] });
    expect(await offeredBy(all, { files: { delete: false } })).toEqual(['clock:allow', 'read_file:allow']);
    expect(await offeredBy(all, { files: { '*': false } })).toEqual(['clock:allow']);
    expect(await offeredBy(all, { files: { delete: true } })).toHaveLength(3);
  });

  it('grants nothing for unknown names and other JSON values, and names each of them', async () => {
    const capabilities = {
      files: [
        'fly',
        7,
        null,
        { action: 'read', approval: 'maybe' },
        { action: 'read', namespaces: ['other'] },
        { approval: 'allow' },
        { action: 5 },
      ],
      teleport: ['*'],
      constructor: ['*'],
      mcp: ['github/create_issue', 'nothing'],
    };
    expect(await offeredBy(grants(capabilities))).toEqual(['clock:allow']);
    expect(capabilityProblems(capabilities)).toEqual([
      'unknown capability "constructor"',
      'capability files does not know "fly"',
      'capability files does not know 7',
      'capability files does not know null',
      'capability files does not know {"action":"read","approval":"maybe"}',
      'capability files does not know {"action":"read","namespaces":["other"]}',
      'capability files does not know {"approval":"allow"}',
      'capability files does not know {"action":5}',
      'capability mcp does not know "nothing"',
      'unknown capability "teleport"',
    ]);
    expect(capabilityProblems({ schedules: ['create:new', '*'], knowledge: [] })).toEqual([]);
  });

  it('grants nothing of a capability that does not exist', async () => {
    expect(grantsOf({ teleport: ['read', '*'] }, 'teleport')).toEqual([]);
  });

  it('reads the namespaces of an entry', async () => {
    expect(grantsOf({ files: [{ action: 'read', namespaces: ['.:*'] }] }, 'files')).toEqual([
      { action: 'read', approval: 'allow', namespaces: ['.:*'] },
    ]);
  });

  it('offers goals only to agents that ask for the toolset', async () => {
    const registry = createToolRegistry({
      tools: [tool('list_goals', { name: 'goals', action: 'inspect' })],
      log: silentLog,
    });
    const goals = { goals: ['*'] };
    expect(await registry.offered(turnOf(grants(goals)))).toEqual([]);
    expect(await registry.offered(turnOf(grants({}, [toolset('goals')])))).toEqual([]);
    expect(await registry.offered(turnOf(grants(goals, [toolset('goals', 'skill')])))).toEqual([]);
    expect(await registry.offered(turnOf(grants(goals, [toolset('goals')])))).toHaveLength(1);
    expect(await registry.offered(turnOf(grants(goals, [toolset('goals', '')])))).toHaveLength(1);
  });

  it('knows every tool, offered or not', async () => {
    const registry = createToolRegistry({ tools: [tool('read_file', files)], log: silentLog });
    expect([registry.exists('read_file'), registry.exists('other')]).toEqual([true, false]);
  });

  it('refuses bad and doubled names at the start', async () => {
    expect(() => createToolRegistry({ tools: [tool('Bad-Name')], log: silentLog })).toThrow('not usable');
    expect(() => createToolRegistry({ tools: [tool('a'), tool('a')], log: silentLog })).toThrow(
      'two tools are named a',
    );
  });
});

describe('checking arguments', () => {
  const registry = createToolRegistry({ tools: [], log: silentLog });
  const check = (inputSchema: Tool['inputSchema'], input: unknown) =>
    registry.validate(tool('t', undefined, inputSchema), input);

  it('reports every violation of the schema in words', async () => {
    const schema = {
      type: 'object',
      properties: {
        city: { type: 'string' },
        unit: { enum: ['C', 'F'] },
        days: { type: 'array', items: { type: 'integer' } },
      },
      required: ['city'],
      additionalProperties: false,
    };
    expect(check(schema, { city: 'Oslo', days: [1] })).toEqual([]);
    expect(check(schema, { unit: 'K', days: [1, 'x'], more: 1 }).toSorted()).toEqual([
      'days.1 must be integer',
      "must have required property 'city'",
      'must not have "more"',
      'unit must be one of ["C","F"]',
    ]);
  });

  it('understands JSON Schema 2020-12 and ignores formats and unknown words', async () => {
    const schema = {
      type: 'object',
      properties: { pair: { prefixItems: [{ type: 'string' }, { type: 'number' }], items: false } },
      'x-note': 1,
    };
    expect(check(schema, { pair: ['a', 1] })).toEqual([]);
    expect(check(schema, { pair: ['a', 'b'] })).toEqual(['pair.1 must be number']);
    expect(check({ properties: { at: { type: 'string', format: 'date-time' } } }, { at: 'soon' })).toEqual([]);
  });

  it('checks by a schema that refers to itself, also without end', () => {
    const chain = { type: 'object', properties: { next: { $ref: '#' }, size: { type: 'number' } } };
    expect(check(chain, { next: { next: { size: 1 } } })).toEqual([]);
    expect(check(chain, { next: { next: { size: 'x' } } })).toEqual(['next.next.size must be number']);
    expect(check({ $ref: '#' }, {})).toEqual([expect.stringContaining('cannot be checked: ')]);
    expect(check({ ...chain, $id: 'https://svc.test/chain' }, { size: 'x' })).toEqual(['size must be number']);
    expect(check({ ...chain, $id: 'https://svc.test/chain' }, { size: 1 })).toEqual([]);
  });

  it('asks only for an object when a remote schema is unusable', async () => {
    const broken = { type: 'nonsense' };
    expect(check(broken, { a: 1 })).toEqual([]);
    expect(check(broken, [1])).toEqual(['must be an object']);
    const promising = { $async: true, type: 'object', required: ['a'] };
    expect([check(promising, {}), check(promising, 1)]).toEqual([[], ['must be an object']]);
  });

  it('keeps two tools with the same $id apart', async () => {
    const schema = (type: string) => ({ $id: 'https://example.com/same', type: 'object', properties: { a: { type } } });
    expect(check(schema('string'), { a: 1 })).toEqual(['a must be string']);
    expect(check(schema('number'), { a: 1 })).toEqual([]);
  });
});
