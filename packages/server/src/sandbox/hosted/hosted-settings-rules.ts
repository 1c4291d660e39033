import type { ProviderConfig, SandboxPlan, SettingProblem } from '../contract.ts';
import type { ServiceSettings } from './contract.ts';

/** What an operator offers of a service. */
export interface OfferedService {
  /** Addresses of the service; the first is that of a class that names none. */
  readonly urls: readonly string[];
  /** Variables of the server's environment that may be used as a key. */
  readonly env: readonly string[];
}

/** What is particular about a service. */
export interface ServiceRules {
  readonly name: 'e2b' | 'daytona';
  /** Settings of a class that are names, with what each is the name of. */
  readonly names: Readonly<Record<string, string>>;
  /** Limits that cannot be set, with who decides them. */
  readonly fixed: (config: ProviderConfig) => Readonly<Record<string, string>>;
  readonly template: keyof ServiceRules['names'];
  readonly defaultTemplate: string;
  readonly note: string;
}

const NOTE =
  'time, output and network are limited; the whole system of a sandbox can be written, and what keeps paths read-only is refused';

export const E2B_RULES: ServiceRules = {
  name: 'e2b',
  names: { template: 'a template' },
  fixed: () => {
    const why = 'is decided by the template of E2B and cannot be set';
    return { cpu: why, memory: why, disk: why, pids: why };
  },
  template: 'template',
  defaultTemplate: 'base',
  note: `E2B; ${NOTE}; processors, memory and disk are those of the template, processes are not limited`,
};

export const DAYTONA_RULES: ServiceRules = {
  name: 'daytona',
  names: { snapshot: 'a snapshot', image: 'an image', target: 'a region' },
  fixed: ({ image }) => {
    const pids = 'cannot be set at Daytona';
    if (image !== undefined) return { pids };
    const why = 'is decided by the snapshot of Daytona; it can be set together with an image';
    return { cpu: why, memory: why, disk: why, pids };
  },
  template: 'snapshot',
  defaultTemplate: '',
  note: `Daytona; ${NOTE}; processors, memory and disk are those of the snapshot or set with an image, processes are not limited; network mode open includes the private addresses of the service`,
};

const NAME_CHARS = 255;
const GIB = 1_073_741_824;

const isName = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= NAME_CHARS && /^[A-Za-z0-9][\w.:/@-]*$/.test(value);

const isWholeGib = (value: unknown): boolean =>
  (typeof value === 'string' && /^[1-9]\d*GiB$/.test(value)) ||
  (typeof value === 'number' && value >= GIB && value % GIB === 0);

/** All faults of what a class says for a service. */
export const hostedProblems = (
  rules: ServiceRules,
  config: ProviderConfig,
  { urls }: OfferedService,
): readonly SettingProblem[] => {
  const found: SettingProblem[] = [];
  const add = (field: string, problem: string): void => void found.push({ field, problem });
  for (const [field, what] of Object.entries(rules.names))
    if (config[field] !== undefined && !isName(config[field])) add(field, `must be the name of ${what}`);
  if (config['url'] !== undefined && !urls.some((one) => one === config['url']))
    add('url', `must be one that this server offers (sandbox.providers.${rules.name}.urls): ${urls.join(', ')}`);
  const fixed = rules.fixed(config);
  for (const [field, problem] of Object.entries(fixed)) if (config[field] !== undefined) add(field, problem);
  for (const field of ['memory', 'disk'])
    if (fixed[field] === undefined && config[field] !== undefined && !isWholeGib(config[field]))
      add(field, 'must be a whole number of GiB, such as "4GiB"');
  if (fixed['cpu'] === undefined && config['cpu'] !== undefined && !Number.isInteger(config['cpu']))
    add('cpu', 'must be a whole number');
  if (config['snapshot'] !== undefined && config['image'] !== undefined)
    add('image', 'must not be given together with a snapshot');
  if (config['allowHostNetwork'] === true)
    add('allowHostNetwork', 'is not possible: the sandbox is on another machine');
  const hosts: readonly unknown[] = Array.isArray(config['allowedHosts']) ? config['allowedHosts'] : [];
  if (hosts.some((host) => typeof host === 'string' && host.includes(':')))
    add('allowedHosts', 'must not name ports: the service allows a host on ports 80 and 443 or not at all');
  return found;
};

/** What a class says for a service; what is refused today counts as absent. */
export const hostedSettings = (
  rules: ServiceRules,
  config: ProviderConfig,
  { urls }: OfferedService,
): ServiceSettings => {
  const name = (field: string): string => {
    const value = config[field];
    return rules.names[field] !== undefined && isName(value) ? value : '';
  };
  const template = name(rules.template);
  return {
    url: urls.find((one) => one === config['url']) ?? urls[0] ?? '',
    template: template === '' ? rules.defaultTemplate : template,
    image: name('image'),
    target: name('target'),
  };
};

/** All faults of the credentials of a class. */
export const credentialProblems = (
  credentials: ProviderConfig,
  { name, env }: Pick<OfferedService, 'env'> & Pick<ServiceRules, 'name'>,
): readonly SettingProblem[] =>
  Object.entries(credentials).flatMap(([field, value]): readonly SettingProblem[] => {
    if (field !== 'apiKey') return [{ field, problem: 'is unknown: only apiKey is used' }];
    if (typeof value !== 'string' || value === '')
      return [{ field, problem: 'must be a key, secret://name/key or env:NAME' }];
    const variable = environmentName(value);
    if (variable === undefined || env.includes(variable)) return [];
    const problem = `must name a variable that this server offers (sandbox.providers.${name}.env): ${env.join(', ')}`;
    return [{ field, problem }];
  });

/** The variable that a credential names; undefined when it names none. */
export const environmentName = (value: string): string | undefined =>
  value.startsWith('env:') ? value.slice('env:'.length) : undefined;

/** What of a plan no hosted service can keep, '' when it can keep all. */
export const planProblem = ({ readonly, network }: SandboxPlan): string => {
  if (readonly.length > 0)
    return 'filesystem.readonly cannot be kept by a hosted provider: the user of its sandboxes may write everything';
  if (network.mode === 'host') return 'network mode host is not possible: the sandbox is on another machine';
  return '';
};
