import { expect, it } from 'vitest';
import { ScrollKeeper } from './scroll-keeper.ts';

const CLIENT = 100;
/** A list of this height whose reader is at the top or, with `top`, further down. */
const listOf = (scrollHeight: number, scrollTop = 0) => ({ scrollHeight, scrollTop, clientHeight: CLIENT });

it('follows the end until the reader scrolls up, and again when the reader is back', () => {
  const keeper = new ScrollKeeper();
  const log = listOf(300);
  keeper.settle(log, 'a');
  expect(log.scrollTop).toBe(300);
  expect(keeper.moved(listOf(300, 200))).toBe(false);
  expect(keeper.moved(listOf(300, 100))).toBe(true);
  expect(keeper.isAtEnd).toBe(false);
  const grown = listOf(400, 100);
  keeper.settle(grown, 'a');
  expect(grown.scrollTop).toBe(100);
  expect(keeper.moved(listOf(400, 260))).toBe(true);
  expect(keeper.isAtEnd).toBe(true);
});

it('stays with what is read when older messages come before it', () => {
  const keeper = new ScrollKeeper();
  keeper.settle(listOf(300), 'b');
  keeper.moved(listOf(300, 20));
  const longer = listOf(700, 20);
  keeper.settle(longer, 'a');
  expect(longer.scrollTop).toBe(420);
});

it('does not stay behind when a picture grows below the reader, and goes to the end when it is told to', () => {
  const keeper = new ScrollKeeper();
  const log = listOf(300);
  keeper.settle(log, 'a');
  keeper.moved(listOf(300, 200));
  expect(keeper.moved(listOf(900, 200))).toBe(false);
  expect(keeper.isAtEnd).toBe(true);
  keeper.moved(listOf(900, 10));
  keeper.follow();
  const later = listOf(900, 10);
  keeper.settle(later, 'a');
  expect(later.scrollTop).toBe(900);
});
