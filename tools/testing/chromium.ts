import process from 'node:process';
import { howToInstall, locate, services } from '../bootstrap/services.mjs';

const service = services.find(({ name }) => name === 'chromium');

/** The Chromium of the machine: the one that the checks found, else the one on the search path. */
export const chromiumPath = (): string | undefined =>
  process.env['SVC_SERVICE_CHROMIUM'] ?? (service === undefined ? undefined : locate(service));

/** The same. Throws an error that says how to install it where there is none. */
export const neededChromiumPath = (): string => {
  const path = chromiumPath();
  if (path !== undefined) return path;
  throw new Error(`Chromium is not installed: ${service === undefined ? '' : howToInstall(service)}`);
};
