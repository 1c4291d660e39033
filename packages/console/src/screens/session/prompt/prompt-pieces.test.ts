import { create } from '@bufbuild/protobuf';
import { StepPieceSchema } from '@svc/api/data';
import { expect, it } from 'vitest';
import { promptBlocks, promptChange } from './prompt-pieces.ts';

const piece = (source: string, tokens: bigint, text = '') => create(StepPieceSchema, { source, tokens, text });

it('joins neighbours of one source into blocks as wide as their tokens', () => {
  const pieces = [piece('tool', 30n), piece('tool', 20n), piece('transcript', 40n), piece('tool', 10n)];
  expect(promptBlocks(pieces)).toEqual([
    { key: '0 tool', source: 'tool', tokens: 50, share: 0.5 },
    { key: '1 transcript', source: 'transcript', tokens: 40, share: 0.4 },
    { key: '2 tool', source: 'tool', tokens: 10, share: 0.1 },
  ]);
});

it('makes no block of nothing', () => {
  expect(promptBlocks([])).toEqual([]);
  expect(promptBlocks([piece('tool', 0n)])).toEqual([{ key: '0 tool', source: 'tool', tokens: 0, share: 0 }]);
});

it('tells what is new and what is gone since the request before', () => {
  const before = [piece('system_prompt', 5n, 'a'), piece('transcript', 5n, 'old')];
  const now = [piece('system_prompt', 5n, 'a'), piece('transcript', 5n, 'new')];
  const { added, removed } = promptChange(before, now);
  expect([...added].map(({ text }) => text)).toEqual(['new']);
  expect(removed.map(({ text }) => text)).toEqual(['old']);
});
