import { ManualClock } from '../../base/index.ts';
import { modelsConfig, type ScriptedAnswer, testRegistry, testRequest } from '../testing/index.ts';
import { describeModelDriver } from './index.ts';

const script = (answer: ScriptedAnswer): string => {
  const lines: string[] = [];
  if (answer.usage !== undefined) {
    const { input, cached, output, reasoning } = answer.usage;
    const usage = {
      input_tokens: input,
      cached_input_tokens: cached,
      output_tokens: output,
      reasoning_tokens: reasoning,
    };
    lines.push(`!usage ${JSON.stringify(usage)}`);
  }
  if (answer.finish !== undefined) lines.push(`!finish ${answer.finish}`);
  if (answer.reasoning !== undefined) lines.push(`!think ${answer.reasoning.join('')}`);
  if (answer.text !== undefined) lines.push(`!say ${answer.text.join('')}`);
  for (const call of answer.calls ?? []) lines.push(`!tool ${call.name} ${JSON.stringify(call.input)}`);
  return lines.join('\n');
};

const registry = testRegistry(
  modelsConfig({ demo: { type: 'demo', rate: 0 } }, { tries: 1, breaker: { failures: 99, withinMs: 1, openMs: 1 } }),
  { clock: new ManualClock() },
);

describeModelDriver({
  name: 'demo',
  registry: () => registry,
  showsReasoning: true,
  arrange: (answer, more) => {
    if (answer === 'error-in-body') return testRequest('demo/echo', '!error provider_stream', more);
    if (answer === 'cut') return testRequest('demo/echo', '!break 1\n!say half way', more);
    return testRequest('demo/echo', script(answer), more);
  },
});
