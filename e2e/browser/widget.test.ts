// @service chromium
import { type Browser, chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { RestCaller } from '../calls/index.ts';
import { MockModel, wordsFrom } from '../mock-model/index.ts';
import { ServerProcess, until } from '../server-process/index.ts';
import { ChatSite, ChatWindow } from './embedding/index.ts';
import { takePicture } from './harness/index.ts';

const SECRET = 'a-secret-of-the-site-and-svc';
const NS = 'default';

let browser: Browser;
let model: MockModel;
let server: ServerProcess;
let rest: RestCaller;
let site: ChatSite;
let stranger: ChatSite;

const minted = async (session: string, change: object = {}): Promise<string> => {
  const grant = { role: 'operator', namespace: NS, agent: 'helper', session, ...change };
  const { accessToken } = await rest.ok<{ accessToken: string }>('POST /v1/auth/tokens', { grants: [grant] });
  return accessToken;
};

/** Pages whose first token is worthless, by session. */
const spoiled = new Set<string>();

beforeAll(async () => {
  model = await MockModel.start();
  const options = {
    svc: () => server.url,
    token: async (query: URLSearchParams) => {
      const session = query.get('session') ?? '';
      return spoiled.delete(session) ? 'not-a-token' : minted(session, { agent: query.get('agent') ?? 'helper' });
    },
  };
  site = await ChatSite.open(options);
  stranger = await ChatSite.open(options);
  const providers = JSON.parse(model.environment['SVC_MODELS_PROVIDERS'] ?? '') as object;
  server = await ServerProcess.start({
    environment: {
      ...model.environment,
      SVC_MODELS_PROVIDERS: JSON.stringify({ ...providers, demo: { type: 'demo', rate: 0 } }),
      SVC_AUTH_MODE: 'token',
      SVC_AUTH_TOKEN: SECRET,
      SVC_CORS_ORIGINS: site.url,
    },
  });
  rest = new RestCaller(server.url, { authorization: `Bearer ${SECRET}` });
  const capabilities = { people: ['ask'], goals: ['inspect', { action: 'create', approval: 'ask' }] };
  const features = [{ type: 'toolset', name: 'goals' }];
  const demo = { profiles: [{ name: 'default', model: { provider: 'demo', name: 'echo' } }] };
  await rest.createAgent('helper', { features, capabilities });
  await rest.createAgent('echo', { features, capabilities, modelPolicy: demo });
  browser = await chromium.connect(inject('browserEndpoint'));
});
afterAll(async () => {
  await browser?.close();
  for (const part of [site, stranger, server, model]) await part?.[Symbol.asyncDispose]();
});

const words = (count: number): string => wordsFrom(0, count).join('').trim();

/** A page with a new conversation. */
const opened = async (agent = 'helper', more = '', colorScheme?: 'light' | 'dark') => {
  const [, session] = await rest.createSession(agent);
  const address = `${site.url}/?agent=${agent}&session=${session}${more}`;
  const window = await ChatWindow.open(browser, address, colorScheme);
  return { window, session, address, [Symbol.asyncDispose]: () => window[Symbol.asyncDispose]() };
};

describe('a conversation', () => {
  it('shows an answer while it is written, and all of it after the page is loaded again', async () => {
    await using chat = await opened();
    const { window } = chat;
    await window.say('words 6; gate page 3');
    await until('half of the answer is shown', async () => (await window.texts())[1] === words(3) || undefined);
    expect(await window.log.getAttribute('aria-busy')).toBe('true');
    model.open('page');
    await window.settled();
    const all = ['words 6; gate page 3', words(6)];
    expect(await window.texts()).toEqual(all);
    await window.page.reload();
    await window.newest.waitFor();
    expect(await window.texts()).toEqual(all);
    expect(window.complaints).toEqual([]);
  });

  it('continues where it was when the server dies in the middle of an answer and comes back', async () => {
    await using chat = await opened();
    const { window } = chat;
    await window.say('words 8; gate crash 4');
    await until('half of the answer is shown', async () => (await window.texts())[1] === words(4) || undefined);
    await server.kill();
    await window.page.getByText('Connection lost. Trying again.').waitFor();
    expect((await window.texts())[1]).toBe(words(4));
    await window.field.fill('a draft');
    await server.restart();
    model.open('crash');
    await window.settled();
    expect(await window.texts()).toEqual(['words 8; gate crash 4', words(8)]);
    expect(await window.page.getByText('Connection lost. Trying again.').count()).toBe(0);
    expect(await window.field.inputValue()).toBe('a draft');
  });

  it('keeps a message that could not be sent until the server is back, and sends it once', async () => {
    await using chat = await opened();
    const { window, session } = chat;
    await window.page.getByText('How can I help?').waitFor();
    await server.kill();
    await window.say('words 2');
    await window.page.getByText('Connection lost. Trying again.').waitFor();
    await server.restart();
    await until('it was answered', async () => (await window.texts())[1] === words(2) || undefined);
    expect((await rest.messages(['helper', session])).map(({ role }) => role)).toEqual(['ROLE_USER', 'ROLE_ASSISTANT']);
  });

  it('is the same in two windows', async () => {
    await using chat = await opened();
    await using other = await ChatWindow.open(browser, chat.address);
    await other.page.getByText('How can I help?').waitFor();
    await chat.window.say('words 3');
    await until('both show it', async () => (await other.texts()).length === 2 || undefined);
    await other.settled();
    expect(await other.texts()).toEqual(['words 3', words(3)]);
  });

  it('stops an answer', async () => {
    await using chat = await opened();
    const { window } = chat;
    await window.say('words 6; gate never 2');
    await until('some of the answer is shown', async () => (await window.texts())[1] === words(2) || undefined);
    await window.button('Stop').click();
    await window.page.getByText('Stopped').waitFor();
    await window.settled();
    expect((await window.texts())[1]).toBe(words(2));
  });

  it('tries a failed answer again', async () => {
    await using chat = await opened('echo');
    const { window } = chat;
    await window.say('well\n!error provider_invalid_request');
    await window.button('Try again').click();
    const path = rest.sessionPath('echo', chat.session);
    const turns = async (): Promise<number> => (await rest.ok<{ turns: unknown[] }>(`GET ${path}/turns`)).turns.length;
    await until('it was tried again', async () => (await turns()) === 2 || undefined);
    await until('one question and one answer are shown', async () => {
      const stored = (await rest.messages(['echo', chat.session])).length;
      return (stored === 2 && (await window.page.locator('.message').count()) === 2) || undefined;
    });
    await window.settled();
    expect(await window.button('Try again').count()).toBe(1);
  });
});

/** Adds messages to a conversation, the first of a person, then in turns. */
const written = async (session: string, messages: readonly string[]): Promise<void> => {
  for (const [index, content] of messages.entries()) {
    const role = index % 2 === 0 ? 'ROLE_USER' : 'ROLE_ASSISTANT';
    const part = { partType: 'SESSION_MESSAGE_PART_TYPE_TEXT', content };
    await rest.ok(`POST ${rest.sessionPath('helper', session)}/messages:append`, { message: { role, parts: [part] } });
  }
};

const ADVICE = [
  'Do you have a bench for four? It has to fit under a window.',
  [
    'Yes, **two of them**. Both are 40 cm deep:',
    '',
    '| Bench | Width | Price |',
    '|---|---:|---:|',
    '| Larch | 210 cm | 780 |',
    '| Oak, with a back | 220 cm | 1,140 |',
    '',
    'The one of larch is lower than most windows. With a back it is 85 cm high, so please measure first:',
    '',
    '1. from the ground to the sill',
    '2. from the wall to the path',
  ].join('\n'),
  'The sill is at 90 cm. What does the oak need in winter?',
  'Nothing. Oil it **once a year**, in spring, and let it dry for a day. [How to oil a bench](https://example.com/care)',
];

describe('what was said before', () => {
  it.each(['light', 'dark'] as const)('is there when the bubble opens, in %s colours', async (scheme) => {
    await using chat = await opened('helper', '&mode=bubble', scheme);
    await written(chat.session, ADVICE);
    const { window } = chat;
    await window.button('Open chat').click();
    await window.page.getByRole('link', { name: 'How to oil a bench' }).waitFor();
    expect(await window.page.getByRole('cell').allTextContents()).toEqual([
      'Larch',
      '210 cm',
      '780',
      'Oak, with a back',
      '220 cm',
      '1,140',
    ]);
    await takePicture(window.page, `widget-${scheme}`);
    await window.page.setViewportSize({ width: 390, height: 844 });
    expect(await window.faults()).toEqual([]);
    if (scheme === 'light') await takePicture(window.page, 'widget-phone');
  });

  it('comes in pages, and what is read stays in view', async () => {
    await using chat = await opened();
    const { window, session, address } = chat;
    await written(
      session,
      Array.from({ length: 60 }, (_, index) => `message ${index}`),
    );
    await window.page.goto(address);
    await window.page.getByText('message 59').waitFor();
    expect((await window.texts()).length).toBe(50);
    await window.button('Show earlier messages').scrollIntoViewIfNeeded();
    await window.button('Show earlier messages').click();
    await window.page.getByText('message 0', { exact: true }).waitFor({ state: 'attached' });
    expect((await window.texts())[0]).toBe('message 0');
    expect(await window.button('Show earlier messages').count()).toBe(0);
    expect(await window.page.getByText('message 10', { exact: true }).isVisible()).toBe(true);
    await window.button('Go to the newest message').click();
    await window.button('Go to the newest message').waitFor({ state: 'detached' });
  });
});

describe('what the agent asks', () => {
  it('is allowed in place', async () => {
    await using chat = await opened();
    const { window } = chat;
    await window.say('call create_goal {"objective":"be kind"}; words 2');
    await window.button('Allow once').click();
    await window.settled();
    expect(await window.newest.textContent()).toMatch(/Used create_goal\s*Allow once: create_goal\s*w0 w1/);
    expect(await window.button('Allow once').count()).toBe(0);
  });

  it('is answered with a form made of its schema, which says what is missing', async () => {
    await using chat = await opened('echo');
    const { window } = chat;
    const schema = {
      type: 'object',
      properties: { city: { type: 'string', title: 'City' }, nights: { type: 'integer', title: 'Nights' } },
      required: ['city'],
    };
    await window.say(`!tool ask_user ${JSON.stringify({ question: 'Where to?', schema })}`);
    await window.button('Send answer').click();
    await window.page.getByText('Please fill this in.').waitFor();
    expect(await window.page.locator('[aria-invalid=true]:focus').count()).toBe(1);
    await window.page.getByLabel('City').fill('Rome');
    await window.page.getByLabel('Nights').fill('3');
    await window.button('Send answer').click();
    await window.page.getByText('Answer sent: Where to?').waitFor();
    await window.settled();
    expect(await window.newest.textContent()).toContain('"answer":{"city":"Rome","nights":3}');
  });
});

describe('files', () => {
  it('are sent and shown, and come back with the conversation', async () => {
    await using chat = await opened('echo');
    const { window } = chat;
    await window.page.locator('input[type=file]').setInputFiles([
      { name: 'dot.png', mimeType: 'image/png', buffer: PIXEL },
      { name: 'list.txt', mimeType: 'text/plain', buffer: Buffer.from('one\ntwo') },
    ]);
    await window.say('look');
    await window.page.getByText('You said: look [image/png dot.png] [text/plain list.txt]').waitFor();
    await window.say('!image');
    await window.settled();
    await until('both pictures are shown', async () => String(await window.pictures()) === '1,1' || undefined);
    await window.page.reload();
    await until('both pictures are back', async () => String(await window.pictures()) === '1,1' || undefined);
    const [download] = await Promise.all([window.page.waitForEvent('download'), window.button('list.txt 7 B').click()]);
    expect(download.suggestedFilename()).toBe('list.txt');
    expect(window.complaints).toEqual([]);
  });
});

const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

describe('access', () => {
  it('asks the page for another token when one is refused', async () => {
    const [, session] = await rest.createSession('helper');
    spoiled.add(session);
    await using window = await ChatWindow.open(browser, `${site.url}/?session=${session}`);
    await window.page.getByText('How can I help?').waitFor();
    expect(await window.page.evaluate('window.asked')).toBe(2);
  });

  it('is refused to pages of sites that are not listed, with any token', async () => {
    const [, session] = await rest.createSession('helper');
    const headers = { authorization: `Bearer ${await minted(session)}`, origin: stranger.url };
    const path = rest.sessionPath('helper', session);
    const answer = await fetch(`${server.url}${path}`, { headers });
    expect([answer.status, JSON.stringify(await answer.json()).includes('"ORIGIN"')]).toEqual([403, true]);
    await using window = await ChatWindow.open(browser, `${stranger.url}/?session=${session}`);
    await window.page.getByText('Connection lost. Trying again.').waitFor();
    expect(await window.texts()).toEqual([]);
  });

  it('says so when the conversation is not the one of the token', async () => {
    const [, session] = await rest.createSession('echo');
    await using window = await ChatWindow.open(browser, `${site.url}/?session=${session}`);
    await window.page.getByText('This conversation does not exist any more.').waitFor();
    expect(await window.button('Try again').count()).toBe(1);
  });

  it('leaves nothing behind in the page', async () => {
    await using chat = await opened();
    await chat.window.say('words 1');
    await chat.window.settled();
    expect(await chat.window.page.evaluate('[localStorage.length, sessionStorage.length, document.cookie]')).toEqual([
      0,
      0,
      '',
    ]);
  });
});

describe('hostile content', () => {
  it('runs no script, sends no request and leads nowhere but to websites', async () => {
    await using chat = await opened('echo');
    const { window } = chat;
    const evil = stranger.url;
    await window.say(
      [
        `<img src="${evil}/a.png" onerror="window.hacked=1"><script>window.hacked=2</script>`,
        `a ![picture](${evil}/b.png) [one](javascript:window.hacked=3) [two](data:text/html,x) [three](${evil}/c)`,
        `<iframe src="${evil}/d"></iframe> <style>@import "${evil}/e.css";</style> <svg onload="window.hacked=4">`,
        `[four](JaVaScRiPt:alert(1)) <javascript:alert(1)> [five](vbscript:x) [six](\\javascript:x)`,
      ].join('\n\n'),
    );
    await window.newest.waitFor();
    await window.settled();
    const own = (address: string): boolean => [site.url, server.url].includes(new URL(address).origin);
    expect(window.requests.filter((address) => !own(address))).toEqual([]);
    expect(await window.page.evaluate('window.hacked')).toBe(undefined);
    // Addresses in the text are links as well, which load nothing by themselves.
    expect(await window.links()).toEqual(['a.png', 'b.png', 'c', 'd', 'e.css'].map((name) => `${evil}/${name}`));
    expect(await window.newest.locator('.text').locator('img, script, iframe, style, svg').count()).toBe(0);
    expect(window.complaints).toEqual([]);
  });
});

it('is a component of React, which gives it new properties and hears what happens', async () => {
  await using chat = await opened('helper', '&react=1');
  const { window } = chat;
  await window.page.getByRole('region', { name: 'One' }).waitFor();
  await window.page.getByRole('button', { name: 'Rename' }).click();
  await window.page.getByRole('region', { name: 'Two' }).waitFor();
  await window.say('words 2');
  await window.page.getByText('Heard 1').waitFor();
  expect(await window.texts()).toEqual(['words 2', words(2)]);
  await window.page.getByRole('button', { name: 'Take away' }).click();
  await window.field.waitFor({ state: 'detached' });
  expect(window.complaints).toEqual([]);
});

describe('everyone', () => {
  it('opens, uses and closes the bubble with keys', async () => {
    await using chat = await opened('helper', '&mode=bubble');
    const { page } = chat.window;
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Help' }).waitFor();
    await page.keyboard.type('words 2');
    await page.keyboard.press('Enter');
    await until('it was answered', async () => (await chat.window.texts())[1] === words(2) || undefined);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.keyboard.press('Enter');
    await chat.window.newest.waitFor();
    expect(await chat.window.texts()).toEqual(['words 2', words(2)]);
  });

  it.each(['light', 'dark'] as const)('finds no fault by the rules of accessibility in %s colours', async (scheme) => {
    await using chat = await opened('echo', '', scheme);
    const { window } = chat;
    await window.page.getByText('How can I help?').waitFor();
    expect(await window.faults()).toEqual([]);
    await window.say(
      '!think Hm.\n# Title\n\n- [x] `code` and [a link](https://example.com)\n\n> quoted\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```js\nlet x;\n```',
    );
    await window.settled();
    const choices = { type: 'string', enum: ['Oak', 'Larch'] };
    const properties = {
      name: { type: 'string' },
      wood: choices,
      gift: { type: 'boolean' },
      note: { maxLength: 900, type: 'string' },
    };
    const schema = { type: 'object', properties, required: ['name'] };
    await window.say(`!tool ask_user ${JSON.stringify({ question: 'Which?', schema })}`);
    await window.button('Send answer').click();
    await window.page.getByText('Please fill this in.').waitFor();
    expect(await window.faults()).toEqual([]);
    await window.button('Decline').click();
    await window.settled();
    await window.say('x\n!error provider_refused');
    await window.button('Try again').waitFor();
    await window.page.setViewportSize({ width: 360, height: 640 });
    expect(await window.faults()).toEqual([]);
  });
});
