import { beforeAll, describe, expect, it } from 'vitest';
import { AppUnderTest, EventReader, reasonOf } from './testing/index.ts';

const app = AppUnderTest.ofSuite({ 'requests.links': 'true' });
const { rest } = app;

const CITY = {
  type: 'object',
  properties: {
    city: { type: 'string', title: 'City', description: 'where you are' },
    nights: { type: 'integer', minimum: 1 },
    breakfast: { type: 'boolean' },
    room: { type: 'string', enum: ['small', 'large'] },
    notes: { type: 'array' },
  },
  required: ['city', 'nights'],
  additionalProperties: false,
};

interface Asked {
  readonly id: string;
  readonly kind: string;
  readonly prompt: string;
  readonly schemaJson: string;
  readonly decidedBy: string;
  readonly answerJson: string;
  readonly agent: string;
  readonly identity: string;
}

beforeAll(async () => {
  const goals = [{ action: 'create', approval: 'ask' }];
  const features = [{ type: 'toolset', name: 'goals' }];
  await rest.ok('POST /v1/ns/default/agents', { name: 'curious', spec: { capabilities: { people: ['ask'] } } });
  await rest.ok('POST /v1/ns/default/agents', {
    name: 'careful',
    spec: { capabilities: { people: ['ask'], goals }, features },
  });
});

const listed = async (query: string): Promise<readonly Asked[]> =>
  (await rest.ok<{ requests: readonly Asked[] }>(`GET /v1/ns/default/permission-requests${query}`)).requests;

/** Sends, and reads the session until the turn waits; its stream, and what it asked. */
const asked = async (agent: string, text: string) => {
  const session = await rest.session(agent);
  const events = await EventReader.open(rest, `${session}/stream`);
  await rest.send(session, text);
  const event = await events.until((one) => one.part?.partType.endsWith('REQUEST_PERMISSION') === true);
  const payload = JSON.parse(event.part?.payloadJson ?? '{}') as Readonly<Record<string, unknown>>;
  return { session, events, payload, path: `${session}/permissions/${String(payload['request_id'])}` };
};

const ask = (question: string, schema?: object): string =>
  `!tool ask_user ${JSON.stringify({ question, ...(schema === undefined ? {} : { schema }) })}`;

const resultOf = async (events: EventReader): Promise<unknown> => {
  const event = await events.until((one) => one.part?.partType.endsWith('TOOL_RESULT') === true);
  await events.ends();
  events.close();
  return (JSON.parse(event.part?.payloadJson ?? '{}') as { readonly output: unknown }).output;
};

describe('a question of an agent', () => {
  it('waits in the list, refuses data that does not fit, and goes on with what does', async () => {
    const { session, events, payload, path } = await asked('curious', ask('Which city?', CITY));
    expect(payload).toMatchObject({ kind: 'input', prompt: 'Which city?', schema: CITY });
    const [found] = (await listed('?kind=input')).filter(({ id }) => id === payload['request_id']);
    expect(found).toMatchObject({ agent: 'curious', prompt: 'Which city?', identity: 'anonymous' });
    expect(JSON.parse(found?.schemaJson ?? '')).toEqual(CITY);
    expect(await rest.ok(`GET ${session}`)).toMatchObject({ state: 'WAITING' });
    const answer = (answerJson: string) => rest.call(`POST ${path}`, { decision: 'ALLOW', answerJson });
    for (const wrong of ['{"city":"Rome"}', '{"city":7,"nights":2}', 'Rome', '']) {
      const refused = await answer(wrong);
      expect([wrong, refused.status, reasonOf(refused)]).toEqual([wrong, 400, 'FIELD_INVALID']);
      expect(JSON.stringify(refused.body)).toContain('answerJson');
    }
    const right = await answer('{"city":"Rome","nights":2}');
    expect(right.body).toMatchObject({ request: { decision: 'PERMISSION_DECISION_ALLOW', decidedBy: 'anonymous' } });
    expect(await resultOf(events)).toEqual({ answered: true, answer: { city: 'Rome', nights: 2 } });
    expect((await answer('{"city":"Rome","nights":2}')).status).toBe(200);
    expect(await rest.outcome(`POST ${path}`, { decision: 'DENY' })).toBe('400 PERMISSION_CLOSED');
  });

  it('takes plain text where the agent says nothing about its form', async () => {
    const { events, path } = await asked('curious', ask('How are you?'));
    await rest.ok(`POST ${path}`, { decision: 'ALLOW', answerJson: '"very well"' });
    expect(await resultOf(events)).toEqual({ answered: true, answer: 'very well' });
  });

  it('can be declined with a comment for the agent, but not with data', async () => {
    const { events, path } = await asked('curious', ask('Your age?'));
    expect(await rest.outcome(`POST ${path}`, { decision: 'DENY', answerJson: '1' })).toBe('400 FIELD_INVALID');
    await rest.ok(`POST ${path}`, { decision: 'DENY', comment: 'none of your business' });
    expect(await resultOf(events)).toEqual({ answered: false, reason: 'none of your business' });
  });

  it('with a schema that is none is refused to the model, and nobody is asked', async () => {
    const session = await rest.session('curious');
    const events = await EventReader.open(rest, `${session}/stream`);
    await rest.send(session, `${ask('Hm?', { type: 'nonsense' })}\n!say end`);
    const result = await events.until((one) => one.part?.partType.endsWith('TOOL_RESULT') === true);
    expect(result.part?.content).toContain('invalid_arguments');
    await events.ends();
    events.close();
    expect(await rest.ok(`GET ${session}`)).toMatchObject({ state: 'IDLE' });
  });

  it('is not offered to an agent without the capability', async () => {
    const sent = await rest.send(await rest.session('helper', {}), '!tools', { waitSeconds: 30 });
    expect(sent.reply).not.toContain('ask_user');
  });
});

describe('the list of what people are asked', () => {
  it('filters by kind, agent and account, page by page', async () => {
    const first = await asked('careful', ask('One?'));
    const second = await asked('careful', '!tool create_goal {"objective":"learn"}');
    const third = await asked('curious', ask('Two?'));
    const mine = '?agent=careful';
    expect((await listed(mine)).map(({ kind }) => kind)).toEqual(['input', 'permission']);
    expect((await listed(`${mine}&kind=permission`)).map(({ id }) => id)).toEqual([second.payload['request_id']]);
    expect(await listed(`${mine}&identity=someone`)).toEqual([]);
    expect(await listed(`${mine}&kind=budget`)).toEqual([]);
    expect(await rest.outcome('GET /v1/ns/default/permission-requests?kind=wish')).toBe('400 FIELD_INVALID');
    const ids: string[] = [];
    for (let token = ''; ; ) {
      const page = await rest.ok<{ requests: readonly Asked[]; nextPageToken: string }>(
        `GET /v1/ns/default/permission-requests?kind=input&pageSize=1&pageToken=${encodeURIComponent(token)}`,
      );
      ids.push(...page.requests.map(({ id }) => id));
      token = page.nextPageToken;
      if (token === '') break;
    }
    expect(ids).toEqual([first.payload['request_id'], third.payload['request_id']]);
    for (const { session, events } of [first, second, third]) {
      await rest.ok(`POST ${session}:stop`, {});
      events.close();
    }
    expect(await listed('')).toEqual([]);
  });
});

describe('an answer link', () => {
  const link = async (path: string): Promise<string> => {
    const { url } = await rest.ok<{ url: string }>(`POST ${path}:link`, {});
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/r\/[A-Za-z0-9_-]{43}$/);
    return new URL(url).pathname;
  };
  const send = (
    path: string,
    fields: Readonly<Record<string, string>>,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Response> => rest.fetch(path, { method: 'POST', body: new URLSearchParams(fields), headers });

  it('shows the question with a field for each property, and takes the answer once', async () => {
    const { events, path } = await asked('curious', ask('Which <b>city</b>?', CITY));
    const page = await link(path);
    const shown = await rest.fetch(page);
    const html = await shown.text();
    expect(shown.status).toBe(200);
    expect(shown.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(shown.headers.get('cache-control')).toBe('no-store');
    expect(shown.headers.get('referrer-policy')).toBe('no-referrer');
    expect(html).toContain('<h1>Which &lt;b&gt;city&lt;/b&gt;?</h1>');
    for (const field of [
      'type="text" name="field.city" required',
      'type="number" step="any" name="field.nights" required',
    ])
      expect(html).toContain(field);
    expect(html).toContain('<option>large</option>');
    const wrong = await send(page, { option: 'answer', 'field.city': 'Rome', 'field.nights': '0' });
    expect(wrong.status).toBe(400);
    expect(await wrong.text()).toContain('nights must be &gt;= 1');
    expect((await send(page, { option: 'nothing' })).status).toBe(400);
    const filled = { 'field.city': 'Rome', 'field.nights': '3', 'field.breakfast': 'on', 'field.room': 'large' };
    expect((await send(page, { option: 'answer', ...filled })).status).toBe(200);
    expect(await resultOf(events)).toEqual({
      answered: true,
      answer: { city: 'Rome', nights: 3, breakfast: true, room: 'large' },
    });
    expect((await rest.fetch(page)).status).toBe(410);
    expect((await send(page, { option: 'decline' })).status).toBe(410);
    const records = await rest.ok<{ records: readonly { identity: string; operation: string }[] }>(
      'GET /v1/auth/audit?operation=AnswerPermission',
    );
    expect(records.records[0]?.identity).toBe('link');
  });

  it('takes the form of its own page from a browser, and of no other site', async () => {
    const { events, path } = await asked('curious', ask('From where?'));
    const page = await link(path);
    const html = await (await rest.fetch(page)).text();
    // Without this rule of the page a browser sends `Origin: null`.
    const origin = html.includes('<meta name="referrer" content="same-origin">') ? app.url : 'null';
    const answer = { option: 'answer', 'field.': 'here' };
    expect((await send(page, answer, { origin: 'https://elsewhere.example' })).status).toBe(403);
    expect((await send(page, answer, { origin })).status).toBe(200);
    expect(await resultOf(events)).toEqual({ answered: true, answer: 'here' });
  });

  it('refuses what no one chose, numbers without end and data that nests too deep, and keeps the question open', async () => {
    const { session, events, path } = await asked('curious', ask('Which city?', CITY));
    const page = await link(path);
    expect(await (await rest.fetch(page)).text()).toContain('<select name="field.room"><option value=""></option>');
    const filled = { option: 'answer', 'field.city': 'Rome', 'field.nights': '3' };
    const wrong = {
      'nights must be integer': { 'field.nights': '1e999' },
      'notes must be array': { 'field.notes': `${'['.repeat(30_000)}${']'.repeat(30_000)}` },
    };
    for (const [problem, fields] of Object.entries(wrong)) {
      const refused = await send(page, { ...filled, ...fields });
      expect([refused.status, (await refused.text()).includes(problem)]).toEqual([400, true]);
    }
    await rest.ok(`POST ${session}:stop`, {});
    events.close();
    for (const late of [{ option: 'nothing' }, { option: 'answer' }]) {
      const closed = await send(page, late);
      expect([closed.status, await closed.text()]).toEqual([410, expect.stringContaining('no longer waits')]);
    }
  });

  it('shows what a tool would run with, and lets it be denied', async () => {
    const { events, path } = await asked('careful', '!tool create_goal {"objective":"conquer <em>all</em>"}');
    const page = await link(path);
    const html = await (await rest.fetch(page)).text();
    expect(html).toContain('conquer &lt;em&gt;all&lt;/em&gt;');
    expect((await send(page, { option: 'deny_once' })).status).toBe(200);
    expect(await resultOf(events)).toMatchObject({ ok: false, code: 'denied' });
  });

  it('is worthless after an answer by another way, and unknown ones tell nothing', async () => {
    const { events, path } = await asked('curious', ask('Really?'));
    const page = await link(path);
    await rest.ok(`POST ${path}`, { decision: 'ALLOW', answerJson: '"yes"' });
    expect((await rest.fetch(page)).status).toBe(410);
    expect((await send(page, { option: 'answer', 'field.': 'no' })).status).toBe(410);
    expect(await resultOf(events)).toEqual({ answered: true, answer: 'yes' });
    for (const other of ['A'.repeat(43), 'short', 'a%2Fb']) expect((await rest.fetch(`/r/${other}`)).status).toBe(404);
    expect(await rest.outcome(`POST ${path}:link`, {})).toBe('400 PERMISSION_CLOSED');
    expect(await rest.outcome(`POST ${path}x:link`, {})).toBe('404 PERMISSION_REQUEST_NOT_FOUND');
  });

  it('is refused where links are off, and those made before lead nowhere', async () => {
    await using plain = await AppUnderTest.start();
    const session = await plain.rest.session('curious', { capabilities: { people: ['ask'] } });
    const refused = await plain.rest.outcome(`POST ${session}/permissions/x:link`, {});
    expect(refused).toBe('400 ANSWER_LINKS_OFF');
    expect((await plain.rest.fetch(`/r/${'A'.repeat(43)}`)).status).toBe(404);
  });
});

describe('a grant on an agent', () => {
  it('reads requests and usage of that agent in its namespace, and of no namespace below', async () => {
    const password = 'the password of the administrator';
    await using guarded = await AppUnderTest.start({ 'auth.mode': 'password', 'auth.password': password });
    const admin = { authorization: `Basic ${Buffer.from(`me:${password}`).toString('base64')}` };
    for (const name of ['acme', 'acme:team']) {
      await guarded.rest.ok(`POST /v1/namespaces/${name}`, {}, admin);
      const agents = `/v1/ns/${name}/agents`;
      await guarded.rest.ok(`POST ${agents}`, { name: 'curious', spec: { capabilities: { people: ['ask'] } } }, admin);
      const { sessionId } = await guarded.rest.ok<{ sessionId: string }>(`POST ${agents}/curious/sessions`, {}, admin);
      await guarded.rest.ok(`POST ${agents}/curious/sessions/${sessionId}/message`, { message: ask('Where?') }, admin);
    }
    const keyOf = async (scope: object) => {
      const key = { name: 'key', grants: [{ role: 'viewer', namespace: 'acme', ...scope }] };
      const { secret } = await guarded.rest.ok<{ secret: string }>('POST /v1/auth/api-keys', key, admin);
      return { 'x-api-key': secret };
    };
    const seen = async (headers: Readonly<Record<string, string>>) => {
      const query = 'agent=curious&recursive=true';
      const requests = `GET /v1/ns/acme/permission-requests?${query}`;
      const usage = `GET /v1/ns/acme/usage?${query}&by=namespace`;
      const listed = await guarded.rest.ok<{ requests: { ns: string }[] }>(requests, undefined, headers);
      const used = await guarded.rest.ok<{ rows: { name: string }[] }>(usage, undefined, headers);
      return { requests: listed.requests.map(({ ns }) => ns), usage: used.rows.map(({ name }) => name).sort() };
    };
    const all = ['acme', 'acme:team'];
    const wide = await keyOf({});
    await expect.poll(() => seen(wide)).toEqual({ requests: all, usage: all });
    const key = await keyOf({ agent: 'curious' });
    expect(await seen(key)).toEqual({ requests: ['acme'], usage: ['acme'] });
    for (const path of ['permission-requests', 'usage'])
      expect(await guarded.rest.outcome(`GET /v1/ns/-/${path}?agent=curious`, undefined, key)).toMatch(/^403 /);
  });
});
