import type { SandboxRuntimeTemplateSpec } from '@svc/api/resources';
import { type FieldViolation, violation } from '../../../base/index.ts';
import type { JsonMap } from '../../../resources/index.ts';
import type { SandboxLimits, SandboxNetwork, SandboxPlan } from '../../../sandbox/contract.ts';

/** What a SandboxClass says in `providerConfig`, with defaults filled in. */
export interface ClassConfig {
  readonly limits: SandboxLimits;
  readonly setupTimeoutMs: number;
  readonly allowedHosts: readonly string[];
  readonly allowHostNetwork: boolean;
}

const UNITS: Readonly<Record<string, number>> = { '': 1, KiB: 1_024, MiB: 1_048_576, GiB: 1_073_741_824 };
const GIB = 1_073_741_824;
const MIB = 1_048_576;
const DEFAULTS = { cpu: 2, memory: 2 * GIB, pids: 256, disk: 5 * GIB, output: MIB, setupTimeoutSeconds: 300 } as const;
/** The most and the least that a class may say, in the units of its fields. */
const BOUNDS: Readonly<Record<keyof typeof DEFAULTS, readonly [number, number]>> = {
  cpu: [0.01, 1_024],
  memory: [64 * MIB, 1_024 * GIB],
  pids: [4, 1_000_000],
  disk: [MIB, 1_024 * GIB],
  output: [1_024, 16 * MIB],
  setupTimeoutSeconds: [1, 3_600],
};
const SIZES: readonly string[] = ['memory', 'disk', 'output'];
const HOST = /^(\*\.)?[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*(:\d{1,5})?$/;
const MOUNT_PATH = '/workspace';

/** A number, or a size such as "2GiB"; undefined when it is neither. */
const amount = (name: string, value: unknown): number | undefined => {
  if (typeof value === 'number') return value;
  const match =
    SIZES.includes(name) && typeof value === 'string' ? /^(\d+(?:\.\d+)?)(KiB|MiB|GiB|)$/.exec(value) : null;
  return match === null ? undefined : Number(match[1]) * Number(UNITS[String(match[2])]);
};

const names = Object.keys(DEFAULTS) as readonly (keyof typeof DEFAULTS)[];

/** All faults of what a class configures; fields that providers define themselves are not looked at. */
export const checkClassConfig = (config: JsonMap, field: string): readonly FieldViolation[] => {
  const numbers = names.flatMap((name) => {
    const value = config[name];
    const given = amount(name, value);
    const [least, most] = BOUNDS[name];
    if (value === undefined || (given !== undefined && given >= least && given <= most)) return [];
    return [violation(`${field}.${name}`, `must be from ${least} to ${most}${SIZES.includes(name) ? ' bytes' : ''}`)];
  });
  const { allowedHosts: hosts, allowHostNetwork: host } = config;
  const isList = Array.isArray(hosts) && hosts.every((entry) => typeof entry === 'string' && HOST.test(entry));
  return [
    ...numbers,
    ...(hosts === undefined || isList
      ? []
      : [violation(`${field}.allowedHosts`, 'must be a list of host names, with "*." before or ":port" behind')]),
    ...(host === undefined || typeof host === 'boolean'
      ? []
      : [violation(`${field}.allowHostNetwork`, 'must be true or false')]),
  ];
};

/** What a class configures; a value that is refused today counts as absent. */
export const classConfig = (config: JsonMap): ClassConfig => {
  const amountOf = (name: keyof typeof DEFAULTS): number =>
    checkClassConfig({ [name]: config[name] ?? DEFAULTS[name] }, '').length > 0
      ? DEFAULTS[name]
      : Number(amount(name, config[name] ?? DEFAULTS[name]));
  const { allowedHosts: hosts } = config;
  return {
    limits: {
      cpu: amountOf('cpu'),
      memoryBytes: amountOf('memory'),
      pids: Math.floor(amountOf('pids')),
      diskBytes: amountOf('disk'),
      outputBytes: amountOf('output'),
    },
    setupTimeoutMs: amountOf('setupTimeoutSeconds') * 1_000,
    allowedHosts: Array.isArray(hosts) ? hosts.filter((entry) => typeof entry === 'string') : [],
    allowHostNetwork: config['allowHostNetwork'] === true,
  };
};

export type LeaseMode = 'session' | 'turn' | 'pool';

/** How long a lease lasts; `exclusive` and unknown text are `session`. */
export const leaseMode = (template: SandboxRuntimeTemplateSpec | undefined): LeaseMode => {
  const mode = template?.leasePolicy?.mode ?? '';
  return mode === 'turn' || mode === 'pool' ? mode : 'session';
};

/** What processes may reach: unknown text is `restricted`, and `host` only where the class allows it. */
const networkOf = (mode: string, config: ClassConfig): SandboxNetwork => {
  if (mode === 'none') return { mode: 'none' };
  if (mode === 'open') return { mode: 'public' };
  if (mode === 'host' && config.allowHostNetwork) return { mode: 'host' };
  return { mode: 'hosts', hosts: config.allowedHosts };
};

/** What the backend of a sandbox is made of. */
export const sandboxPlan = (
  ids: { readonly id: string; readonly volume: string },
  template: SandboxRuntimeTemplateSpec | undefined,
  config: ClassConfig,
): SandboxPlan => ({
  id: ids.id,
  volume: template?.workspace?.mode === 'persistent' ? ids.volume : '',
  image: template?.image ?? '',
  mountPath: template?.workspace?.mountPath || MOUNT_PATH,
  writable: template?.filesystem?.writable ?? [],
  readonly: template?.filesystem?.readonly ?? [],
  network: networkOf(template?.network?.mode ?? '', config),
  limits: config.limits,
  env: {},
});
