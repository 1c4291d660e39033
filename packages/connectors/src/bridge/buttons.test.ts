import { expect, it } from 'vitest';
import type { Delivery } from '../kit/index.ts';
import { pressedButton, questionCard } from './buttons.ts';

const form = { most: 3, labelLength: 6, textLength: 10 };
const delivery = (options: readonly string[]) => ({ id: 'd-1', options }) as Delivery;

it('a button of svc is known by its id, and no other is', () => {
  expect(pressedButton('svc:d-1:12')).toEqual({ deliveryId: 'd-1', number: '12' });
  for (const other of ['', 'approve', 'svc:d-1', 'svc::1', 'svc:d-1:', 'svc:d-1:x', 'svc:d-1:100', 'a svc:d-1:1'])
    expect(pressedButton(other)).toBeUndefined();
});

it('a button has a label that the platform takes', () => {
  const labels = (options: readonly string[]) => questionCard(form, delivery(options), 'Why?')?.card.children.slice(1);
  expect(labels([' ', ' six666 ', 'seven77', 'four😀'])).toEqual([
    {
      type: 'actions',
      children: [
        { type: 'button', id: 'svc:d-1:1', label: '...' },
        { type: 'button', id: 'svc:d-1:2', label: 'six666' },
        { type: 'button', id: 'svc:d-1:3', label: 'seven…' },
        { type: 'button', id: 'svc:d-1:4', label: 'four😀' },
      ],
    },
  ]);
});

it('a text that does not fit above buttons has none', () => {
  expect(questionCard(form, delivery(['a']), '12345678901')).toBeUndefined();
  const doubled = { ...form, textOf: (text: string) => text + text };
  expect(questionCard(doubled, delivery(['a']), '123456')).toBeUndefined();
  expect(questionCard(doubled, delivery(['a']), '12345')?.card.children[0]).toEqual({
    type: 'text',
    content: '1234512345',
  });
});
