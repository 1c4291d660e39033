import { expect, it } from 'vitest';
import { previewKind } from './preview-kind.ts';

it.each([
  ['image/png', '/a.png', 'image'],
  ['image/svg+xml', '/a.svg', 'text'],
  ['text/html; charset=utf-8', '/a.html', 'text'],
  ['text/markdown', '/a', 'markdown'],
  ['application/octet-stream', '/notes.MD', 'markdown'],
  ['', '/a.yml', 'yaml'],
  ['application/json', '/a', 'json'],
  ['application/pdf', '/a.pdf', 'none'],
  ['application/octet-stream', '/a.bin', 'none'],
  ['application/pdf', '/a.md', 'none'],
])('shows %s at %s as %s', (type, path, kind) => {
  expect(previewKind(type, path)).toBe(kind);
});
