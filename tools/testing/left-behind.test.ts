import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { leftBehind } from './left-behind.ts';

it('what tests left of their own is named, what other programs left is not', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-left-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  expect(leftBehind(folder)).toEqual([]);
  for (const name of ['svc-b-1', 'bench-a', 'playwright-x']) mkdirSync(join(folder, name));
  writeFileSync(join(folder, 'svc-a-2'), '');
  expect(leftBehind(folder)).toEqual(['bench-a', 'svc-a-2', 'svc-b-1']);
});

it('each test file has a temporary folder of its own', () => {
  expect(tmpdir()).toMatch(/svc-tests-\w+$/);
});
