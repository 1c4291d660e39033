import { create } from '@bufbuild/protobuf';
import { ObjectRefSchema, SessionMessagePartSchema, SessionMessagePartType } from '@svc/api/data';
import { describe, expect, it } from 'vitest';
import { valuesOf } from '../../../ui/value-lines.ts';
import type { ThreadMessage } from '../conversation/thread-rows.ts';
import { askedBefore, filesOf, labelLines } from './fork-point.ts';

const message = (id: string, role: ThreadMessage['role']): ThreadMessage => ({
  id,
  role,
  parts: [],
  createdAt: 0n,
  labels: {},
  isLive: false,
});

const messages = [
  message('m1', 'user'),
  message('m2', 'assistant'),
  message('m3', 'user'),
  message('m4', 'system'),
  message('m5', 'assistant'),
];

it('finds what a reply answers', () => {
  expect(askedBefore(messages, 'm5')?.id).toBe('m3');
  expect(askedBefore(messages, 'm2')?.id).toBe('m1');
  expect(askedBefore(messages, 'm1')).toBeUndefined();
});

it('takes the files of a message along, not its text', () => {
  const parts = [
    create(SessionMessagePartSchema, { partType: SessionMessagePartType.TEXT, content: 'a' }),
    create(SessionMessagePartSchema, {
      id: '000001',
      partType: SessionMessagePartType.IMAGE,
      name: 'a.png',
      object: { key: 'k1' },
    }),
  ];
  expect(filesOf({ ...message('m1', 'user'), parts })).toEqual([
    {
      partType: SessionMessagePartType.IMAGE,
      name: 'a.png',
      payloadJson: '',
      object: create(ObjectRefSchema, { key: 'k1' }),
    },
  ]);
});

describe('labels as lines', () => {
  it('are read', () => {
    expect(valuesOf('tone = formal\n\n flag\na=b=c')).toEqual({ tone: 'formal', flag: '', a: 'b=c' });
  });

  it('are written without those of the server', () => {
    expect(labelLines({ tone: 'formal', 'svc/x': '1' })).toBe('tone=formal');
  });
});
