import { expect, it } from 'vitest';
import { ManualClock } from '../../base/index.ts';
import type { ModelChunk } from '../contract.ts';
import { Breaker } from './breaker.ts';
import { CallOutput } from './call-output.ts';

const outputOf = () => {
  const chunks: ModelChunk[] = [];
  return { chunks, output: new CallOutput((chunk) => chunks.push(chunk)) };
};

const end = {
  type: 'error',
  error: { errorClass: 'provider_stream', sentence: 's', beforeFirstByte: false, beforeFirstToken: false },
} as const;

it('joins the halves of a pair, and shows a half whose other half never comes as a replacement character (R32)', () => {
  const { chunks, output } = outputOf();
  output.emit({ type: 'text', text: 'a\ud83d' });
  output.emit({ type: 'text', text: '\ude00' });
  output.emit({ type: 'text', text: '\ud83d' });
  output.emit({ type: 'reasoning', text: 'r\udc00' });
  output.emit({ type: 'reasoning', text: 'x\ud83d' });
  output.close(end);
  const shown = chunks.map((chunk) => ('text' in chunk ? `${chunk.type}:${chunk.text}` : chunk.type));
  expect(shown).toEqual([
    'text:a',
    'text:😀',
    'text:\ufffd',
    'reasoning:r\ufffd',
    'reasoning:x',
    'reasoning:\ufffd',
    'error',
  ]);
});

it('delivers nothing after the end, no empty text, and each warning once', () => {
  const { chunks, output } = outputOf();
  output.emit({ type: 'text', text: '' });
  expect(output.hasContent).toBe(false);
  for (const option of ['tools', 'tools', 'temperature']) output.emit({ type: 'warning', option, text: '' });
  expect(output.hasContent).toBe(false);
  output.emit({ type: 'call', providerCallId: '', name: 'x', inputText: '{}' });
  expect(output.hasContent).toBe(true);
  output.close(end);
  output.close(end);
  output.emit({ type: 'text', text: 'late' });
  expect(chunks.map((chunk) => chunk.type)).toEqual(['warning', 'warning', 'call', 'error']);
});

it('lets only one call probe a half-open breaker, and another when the probe told nothing', () => {
  const clock = new ManualClock();
  const breaker = new Breaker(clock, { failures: 1, withinMs: 10, openMs: 10 });
  breaker.failed('k');
  expect(breaker.allows('k')).toBe(false);
  clock.advance(10);
  expect([breaker.allows('k'), breaker.allows('k')]).toEqual([true, false]);
  breaker.abandoned('k');
  expect(breaker.allows('k')).toBe(true);
});
