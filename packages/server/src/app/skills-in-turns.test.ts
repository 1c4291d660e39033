import { beforeAll, expect, it } from 'vitest';
import { AppUnderTest, gate } from './testing/index.ts';

const app = AppUnderTest.ofSuite();
interface Shown {
  readonly messages: readonly { readonly parts: readonly { readonly content?: string }[] }[];
}

const SESSIONS = '/v1/ns/acme:west/agents/helper/sessions';

const skill = (namespace: string, text: string): string =>
  `kind: Skill\nmetadata: {name: sum, namespace: "${namespace}"}\nspec: {description: adds numbers, instructions: "${text}"}\n`;
const apply = (...texts: readonly string[]): Promise<unknown> =>
  app.rest.ok('POST /v1/manifests:apply', { text: texts.join('---\n') });

beforeAll(async () => {
  for (const name of ['acme', 'acme:west']) await app.rest.ok(`POST /v1/namespaces/${encodeURIComponent(name)}`, {});
  await apply('kind: Agent\nmetadata: {name: helper, namespace: "acme:west"}\n', skill('acme', 'Add as acme does.'));
});

interface Prompt {
  readonly messages: readonly { readonly content: readonly { readonly text?: string }[] }[];
}

it('an active skill is read at each step: as it is edited, shadowed and gone; and no longer once the session is cleared', async () => {
  const { sessionId } = await app.rest.ok<{ sessionId: string }>(`POST ${SESSIONS}`, {});
  const path = `${SESSIONS}/${sessionId}`;
  /** Sends it and answers how the prompt of the last step begins. */
  const sent = async (message: string): Promise<string> => {
    await app.rest.ok(`POST ${path}/message`, { message: `${message}\n!prompt`, waitSeconds: 30 });
    const { messages } = await app.rest.ok<Shown>(`GET ${path}`);
    const reply = messages
      .at(-1)
      ?.parts.map(({ content = '' }) => content)
      .find((text) => text.startsWith('{"messages'));
    return (JSON.parse(reply ?? '') as Prompt).messages[0]?.content[0]?.text ?? '';
  };
  const text = (instructions: string): string => `<skill name="sum">\n${instructions}\n</skill>`;
  expect(await sent('first')).toContain('first');
  expect(await sent('!tool activate_skill {"name":"sum"}')).toBe(text('Add as acme does.'));
  const running = sent(`${gate(1)}\n!tool current_time`);
  await app.clock.reached(1);
  await apply(skill('acme', 'Add with care.'));
  await app.clock.open(1);
  expect(await running).toBe(text('Add with care.'));
  await apply(skill('acme:west', 'Add as the west does.'));
  expect(await sent('')).toBe(text('Add as the west does.'));
  for (const namespace of ['acme:west', 'acme'])
    await app.rest.ok(`DELETE /v1/ns/${encodeURIComponent(namespace)}/resources/Skill/sum`);
  expect(await sent('')).toMatch(/sum/);
  await apply(skill('acme', 'Add again.'));
  expect(await sent('')).toBe(text('Add again.'));
  await app.rest.ok(`POST ${path}:clear`, {});
  expect(await sent('last')).toContain('last');
});
