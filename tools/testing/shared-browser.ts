import { type BrowserServer, chromium } from 'playwright-core';
import type { TestProject } from 'vitest/node';
import { neededChromiumPath } from './chromium.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Where the browser of all test files of a project is reached. */
    browserEndpoint: string;
  }
}

/** No sandbox, because tests run as root in containers; nothing that starts by itself and asks the internet. */
const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Starts one browser for all test files of a project, each of which opens windows of its own. */
// biome-ignore lint/style/noDefaultExport: vitest calls the default export of a global set-up.
export default async (project: TestProject): Promise<() => Promise<void>> => {
  const executablePath = neededChromiumPath();
  const browser: BrowserServer = await chromium.launchServer({ executablePath, args: flags });
  project.provide('browserEndpoint', browser.wsEndpoint());
  return () => browser.close();
};
