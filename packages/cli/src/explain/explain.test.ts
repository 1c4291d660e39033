import { describe, expect, it } from 'vitest';
import { kinds } from '../kinds/index.ts';
import { fakeHost } from '../testing/fake-host.ts';
import { explainKind } from './index.ts';

const explained = async (word: string, output?: string): Promise<string> => {
  const { host, out } = fakeHost();
  await explainKind(host, word, output === undefined ? {} : { output });
  return out();
};

describe('svc explain', () => {
  it('shows the fields of a spec with types, rules and defaults', async () => {
    const text = await explained('schedule');
    expect(text).toMatch(/^Schedule {2}svc\/v1\n {2}Starts an agent or a workflow at given times\.\n/);
    expect(text).toContain('\n  spec.timezone  string\n    IANA name. Default: UTC.\n');
    expect(text).toContain('\n  spec.target  ScheduleTarget\n    What is started. Required.\n');
  });

  it('follows a path with or without spec, in either spelling, and through lists', async () => {
    const text = await explained('agents.modelPolicy.profiles.model.temperature');
    expect(text).toMatch(/^Agent spec\.modelPolicy\.profiles\.model\.temperature {2}number\n {2}From 0 to 2;/);
    expect(await explained('agent.spec.model_policy.profiles[0].model.temperature')).toContain(
      'number\n  From 0 to 2;',
    );
    expect(await explained('channel.status.phase')).toMatch(
      /^Channel status\.phase {2}string\n {2}open or closed\.\n$/,
    );
  });

  it('lists the values of a field that has a fixed set of them', async () => {
    const text = await explained('file.retention');
    expect(text).toContain('\n  FILE_RETENTION_SESSION\n    Removed with the session that created it.\n');
    expect(text).not.toContain('UNSPECIFIED');
  });

  it('prints JSON for programs', async () => {
    expect(JSON.parse(await explained('ns.parent', 'json'))).toEqual({
      kind: 'Namespace',
      path: 'spec.parent',
      type: 'string',
      description: 'Full name of the namespace above. Never changes.',
      default: 'the text before the last colon of the name; none for a root',
      fields: [],
      values: [],
    });
    expect(JSON.parse(await explained('secret', 'json')).fields.map(({ name }: { name: string }) => name)).toEqual([
      'spec.type',
      'spec.data',
      'spec.stringData',
    ]);
  });

  it('offers the nearest field for one that does not exist, and says where the others are listed', async () => {
    await expect(explained('agent.modelPolicy.profile')).rejects.toMatchObject({
      message: 'spec.modelPolicy of Agent has no field profile',
      hint: '`svc explain agent.spec.modelPolicy` lists its fields',
      slip: { word: 'profile', candidates: ['profiles'] },
    });
    await expect(explained('agent.systemPrompt.text')).rejects.toMatchObject({
      message: 'spec.systemPrompt of Agent has no field text',
    });
  });

  it('refuses what is no built-in kind', async () => {
    await expect(explained('nothing')).rejects.toMatchObject({ message: 'there is no kind nothing' });
    await expect(explained('Custom')).rejects.toMatchObject({
      message: 'Custom is a custom kind: nothing is known about its fields',
    });
  });

  it.each(kinds.map(({ name }) => name))('has words for %s and for every field of its spec', async (name) => {
    const { description, fields } = JSON.parse(await explained(name.toLowerCase(), 'json'));
    expect(description).not.toBe('');
    for (const field of fields) expect(field.description, `${name} ${field.name}`).not.toBe('');
  });
});
