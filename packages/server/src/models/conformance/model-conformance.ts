import { describe, expect, it } from 'vitest';
import type { ModelRegistry, ModelRequest } from '../contract.ts';
import { collect, type ScriptedAnswer } from '../testing/index.ts';

/** How the suite makes one driver answer. */
interface DriverUnderTest {
  readonly name: string;
  readonly registry: () => ModelRegistry;
  /** Arranges the next answer and gives the request that gets it. */
  readonly arrange: (answer: ScriptedAnswer | 'error-in-body' | 'cut', more?: Partial<ModelRequest>) => ModelRequest;
  /** False for a protocol that has no reasoning text. */
  readonly showsReasoning: boolean;
}

const tool = (name: string) => ({
  name,
  description: `does ${name}`,
  inputSchema: { type: 'object', properties: { city: { type: 'string' } } },
});

/** What the model contract promises of every driver, whatever protocol it speaks. */
export const describeModelDriver = (driver: DriverUnderTest): void => {
  const run = (answer: Parameters<DriverUnderTest['arrange']>[0], more?: Partial<ModelRequest>) =>
    collect(driver.registry(), driver.arrange(answer, more));

  describe(`model driver ${driver.name}`, () => {
    it('streams text in order and ends with one finish', async () => {
      const got = await run({ text: ['Hello ', 'wörld ', '😀 done'] });
      expect(got.text).toBe('Hello wörld 😀 done');
      expect(got.chunks.filter((chunk) => chunk.type === 'finish' || chunk.type === 'error')).toHaveLength(1);
      expect(got.chunks.at(-1)?.type).toBe('finish');
      expect(got.finish?.finish).toBe('stop');
    });

    const itReasons = driver.showsReasoning ? it : () => undefined;
    itReasons('streams reasoning before text', async () => {
      const got = await run({ reasoning: ['let me ', 'think'], text: ['ok'] }, { thinking: { enabled: true } });
      expect(got.reasoning).toBe('let me think');
      expect(got.text).toBe('ok');
      const types = got.chunks.map((chunk) => chunk.type);
      expect(types.indexOf('reasoning')).toBeLessThan(types.indexOf('text'));
      expect(got.continuation).toBeDefined();
    });

    it('delivers parallel calls whole and in order', async () => {
      const got = await run(
        {
          calls: [
            { id: 'a1', name: 'weather', input: { city: 'Köln' } },
            { id: 'a2', name: 'time', input: {} },
          ],
        },
        { tools: [tool('time'), tool('weather')] },
      );
      expect(got.calls.map((call) => [call.name, JSON.parse(call.inputText)])).toEqual([
        ['weather', { city: 'Köln' }],
        ['time', {}],
      ]);
      expect(got.finish?.finish).toBe('tool_calls');
    });

    it.each(['length', 'content_filter'] as const)('ends with finish %s', async (finish) => {
      const got = await run({ text: ['partly'], finish });
      expect(got.finish?.finish).toBe(finish);
    });

    it('counts usage once, reasoning inside output and cached inside input', async () => {
      const usage = { input: 100, cached: 40, output: 30, reasoning: 20 };
      const got = await run({ reasoning: ['hm'], text: ['ok'], usage });
      expect(got.usage).toMatchObject({
        inputTokens: 100,
        cachedInputTokens: 40,
        outputTokens: 30,
        reasoningTokens: 20,
        totalTokens: 130,
        usageAvailable: true,
        estimated: false,
      });
    });

    it('reports an error inside the body as provider_stream', async () => {
      const got = await run('error-in-body');
      expect(got.error?.errorClass).toBe('provider_stream');
      expect(got.chunks.at(-1)?.type).toBe('error');
    });

    it('reports a broken answer after text as provider_stream, after the first token', async () => {
      const got = await run('cut');
      expect(got.error).toMatchObject({
        errorClass: 'provider_stream',
        beforeFirstToken: false,
        beforeFirstByte: false,
      });
      expect(got.text).not.toBe('');
    });

    it('delivers nothing but a stopped error when the signal was aborted before', async () => {
      const request = driver.arrange({ text: ['never'] });
      const got = await collect(driver.registry(), request, AbortSignal.abort());
      expect(got.chunks).toHaveLength(1);
      expect(got.error).toMatchObject({ isStopped: true, beforeFirstByte: true, beforeFirstToken: true });
    });
  });
};
