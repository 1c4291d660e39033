import process from 'node:process';
import { locate, services } from '../bootstrap/services.mjs';

/** The Chromium of the machine: the one that the checks found, else the one on the search path. */
export const chromiumPath = (): string | undefined => {
  const service = services.find(({ name }) => name === 'chromium');
  return process.env['SVC_SERVICE_CHROMIUM'] ?? (service === undefined ? undefined : locate(service));
};
