import { expect, test } from 'vitest';
import { ManualClock } from '../../../base/index.ts';
import { PART, type Part } from '../../contract.ts';
import { EventSequencer } from '../../record/event-sequencer.ts';
import { DeltaPressure } from './delta-pressure.ts';
import { PartWriter } from './part-writer.ts';

const newWriter = (): PartWriter => {
  const names = { namespace: 'default', agent: 'helper', sessionId: 's', id: 't' };
  const clock = new ManualClock();
  return new PartWriter({
    isLost: () => false,
    clock,
    pressure: new DeltaPressure(clock),
    bus: { publish: () => undefined },
    sequencer: new EventSequencer(names, 1, { attempt: 1 }),
    sessionId: 's',
    messageId: 'm',
    firstIndex: 0,
  });
};
const short = (parts: readonly Part[]) =>
  parts.map(({ id, type, content, continuation }) => [Number(id), type, content, continuation]);

test('the continuation data of an answer belongs to its last reasoning, though text followed that', () => {
  const writer = newWriter();
  writer.text(PART.REASONING, 'first');
  writer.text(PART.TEXT, 'one');
  writer.text(PART.REASONING, 'second');
  writer.text(PART.TEXT, 'two');
  writer.endReasoning({ field: 'reasoning_content' });
  writer.text(PART.TEXT, ' more');
  writer.flush();
  expect(short(writer.parts())).toEqual([
    [0, PART.REASONING, 'first', undefined],
    [1, PART.TEXT, 'one', undefined],
    [2, PART.REASONING, 'second', { field: 'reasoning_content' }],
    [3, PART.TEXT, 'two more', undefined],
  ]);
});

test('continuation data without any reasoning gets a part of its own, behind the text before it', () => {
  const writer = newWriter();
  writer.text(PART.TEXT, 'answer');
  writer.endReasoning('signature');
  writer.flush();
  expect(short(writer.parts())).toEqual([
    [0, PART.TEXT, 'answer', undefined],
    [1, PART.REASONING, '', 'signature'],
  ]);
});

test('reasoning that ends while it is open keeps its data; one that ends without data adds nothing', () => {
  const writer = newWriter();
  writer.text(PART.REASONING, 'deep');
  writer.endReasoning('signature');
  writer.text(PART.TEXT, 'answer');
  writer.endReasoning(undefined);
  writer.flush();
  expect(short(writer.parts())).toEqual([
    [0, PART.REASONING, 'deep', 'signature'],
    [1, PART.TEXT, 'answer', undefined],
  ]);
});
