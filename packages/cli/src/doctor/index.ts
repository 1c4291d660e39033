/**
 * doctor: finds what keeps svc from working, on this machine and through the server, and says what to do about it.
 * Changes nothing and never blocks a start.
 */

import { configInForce } from '../config-place.ts';
import { type GlobalOptions, resolveTarget } from '../connection.ts';
import { openContext } from '../context.ts';
import { CommandFailure } from '../failure.ts';
import type { Host } from '../host.ts';
import { outputForm, printValue } from '../output.ts';
import { userDirectory } from '../profiles.ts';
import { type Style, styleFor } from '../terminal/index.ts';
import { type Check, fail, ok } from './check.ts';
import { checkConfiguration, checkDataDirectory, checkNode, checkProviders } from './local-checks.ts';
import { checkFromInside, checkServer } from './server-checks.ts';
import { checkStore } from './store-check.ts';

export interface DoctorOptions extends GlobalOptions {
  readonly config?: string;
  readonly dataDir?: string;
  readonly online?: boolean;
}

/** `svc doctor`: exit code 1 when any line is fail. */
export const doctor = async (host: Host, options: DoctorOptions): Promise<void> => {
  const checks = await runChecks(host, options);
  const form = outputForm(options.output);
  if (form.form !== 'table' && form.form !== 'wide') await printValue(host, { checks }, form);
  else host.stdout.write(render(checks, styleFor(host.stdout, host.environment, options.color)));
  const failed = checks.filter((check) => check.result === 'fail').length;
  if (failed > 0) throw new CommandFailure(failed === 1 ? 'one check failed' : `${failed} checks failed`);
};

const runChecks = async (host: Host, options: DoctorOptions): Promise<readonly Check[]> => {
  const target = resolveTarget(host, options);
  const { checks: serverChecks, isUp } = await checkServer(host, target.server);
  return [
    checkNode(host),
    ...(await localChecks(host, options, isUp)),
    ...serverChecks,
    ...(isUp ? await insideChecks(host, options) : []),
  ];
};

const insideChecks = async (host: Host, options: DoctorOptions): Promise<readonly Check[]> => {
  const { client } = await openContext(host, options);
  return checkFromInside(client, options.online === true);
};

const localChecks = async (host: Host, options: DoctorOptions, isUp: boolean): Promise<readonly Check[]> => {
  const server = await host.loadServer();
  const flags = { config: options.config ?? configInForce(host), dataDir: options.dataDir };
  const { checks, loaded } = checkConfiguration(host, server, flags);
  if (loaded === undefined) return checks;
  const isChosen = options.dataDir !== undefined || loaded.origins.has('dataDir');
  const dataDir = isChosen ? loaded.config.dataDir : userDirectory(host, 'data');
  return [
    ...checks,
    ...checkDataDirectory(host, dataDir, { usesKeyFile: loaded.config.settings['secrets.keys'].length === 0 }),
    ...(await checkStore(host, options)),
    checkProviders(loaded),
    ...(await portCheck(host, loaded.config.transport, isUp)),
  ];
};

const portCheck = async (
  host: Host,
  address: { readonly host: string; readonly port: number },
  isUp: boolean,
): Promise<readonly Check[]> => {
  const place = `${address.host}:${address.port}`;
  if (address.port === 0) return [];
  if (!(await host.isPortTaken(address.host, address.port)))
    return [ok('port', isUp ? `${place} is free; the server is another one` : `${place} is free`)];
  return [
    isUp
      ? ok('port', `${place} is in use by a server`)
      : fail('port', `${place} is taken by another program`, 'choose another one: svc up --port 7421'),
  ];
};

const render = (checks: readonly Check[], style: Style): string => {
  const width = Math.max(...checks.map((check) => check.name.length));
  const paint = { ok: style.green, warn: style.yellow, fail: style.red };
  return checks
    .map((check) => {
      const line = `${paint[check.result](check.result.padEnd(4))}  ${check.name.padEnd(width)}  ${check.detail}\n`;
      return check.remedy === '' ? line : `${line}${' '.repeat(width + 8)}${style.dim(`-> ${check.remedy}`)}\n`;
    })
    .join('');
};
