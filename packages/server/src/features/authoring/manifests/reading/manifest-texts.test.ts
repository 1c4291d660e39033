import { describe, expect, it } from 'vitest';
import { atOnce, ManualClock } from '../../../../base/index.ts';
import { readText } from '../../../../resources/manifest/syntax/index.ts';
import { ManifestTexts } from './manifest-texts.ts';

const agents = (count: number): string =>
  Array.from({ length: count }, (_, index) => `kind: Agent\nmetadata: {name: a${index}}\n`).join('---\n');

describe('ManifestTexts', () => {
  it('reads what the reader of this thread reads, one text after the other', async () => {
    const texts = new ManifestTexts(new ManualClock());
    const [first, second] = await Promise.all([texts.read(agents(300)), texts.read('a: [1\n')]);
    expect(atOnce(first)).toEqual(readText(agents(300)));
    expect(atOnce(second)).toEqual(readText('a: [1\n'));
  });

  it('refuses too many lines before anything reads them', async () => {
    await expect(new ManifestTexts(new ManualClock()).read('#\n'.repeat(300_001))).rejects.toMatchObject({
      code: 'RESOURCE_EXHAUSTED',
      message: 'text: more than 300000 lines',
    });
  });

  it('gives up a text after 20 s, by the clock, and reads the next one with a new thread', async () => {
    const clock = new ManualClock();
    const texts = new ManifestTexts(clock);
    const slow = texts.read(`a:\n${'- {b: [1, 2]}\n'.repeat(250_000)}`);
    const refused = expect(slow).rejects.toMatchObject({
      code: 'RESOURCE_EXHAUSTED',
      reason: 'TOO_LARGE',
      message: 'text: not read within 20 s; split it into several calls',
    });
    await Promise.resolve();
    await Promise.resolve();
    clock.advance(20_000);
    await refused;
    expect(atOnce(await texts.read('a: 1'))).toEqual(readText('a: 1'));
  });

  it('ends its thread after five seconds without work and starts one again', async () => {
    const clock = new ManualClock();
    const texts = new ManifestTexts(clock);
    await texts.read('a: 1');
    clock.advance(5_000);
    expect(atOnce(await texts.read('b: 2'))).toEqual(readText('b: 2'));
  });
});
