import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { widgetScript } from './widget-script.mjs';

const MAX_BYTES = 40 * 1024;

it('makes one file of the chat that a page loads quickly and that asks for nothing more', async () => {
  const script = await widgetScript();
  expect(gzipSync(script, { level: 9 }).length).toBeLessThan(MAX_BYTES);
  expect(script).toContain('svc-chat');
  // Neither parts that are loaded later nor ways to run text as a program or as HTML.
  expect(script).not.toMatch(
    /\bimport\s*\(|\beval\s*\(|new Function|innerHTML|outerHTML|insertAdjacentHTML|document\.write/,
  );
  expect(script).not.toMatch(/localStorage|sessionStorage|indexedDB|document\.cookie/);
});
