import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';

const folder = fileURLToPath(new URL('../../../docs/screenshots', import.meta.url));
const QUALITY = 80;

/** Writes docs/screenshots/NAME.webp when SVC_SCREENSHOTS=1 asks for it: other runs leave the checkout as it is. */
export const takePicture = async (page: Page, name: string): Promise<void> => {
  if (process.env['SVC_SCREENSHOTS'] !== '1') return;
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: QUALITY });
  await session.detach();
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${name}.webp`), Buffer.from(data, 'base64'));
};
