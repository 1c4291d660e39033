import type { Client, ClientOptions } from '@svc/client';
import { CommandFailure } from './failure.ts';
import type { Host } from './host.ts';
import { type Profile, readProfiles } from './profiles.ts';

/** Options that every command takes. */
export interface GlobalOptions {
  readonly server?: string;
  readonly token?: string;
  readonly profile?: string;
  readonly namespace?: string;
  readonly output?: string;
  readonly quiet?: boolean;
  /** False with --no-color. */
  readonly color?: boolean;
  /** Such as `30s` or plain seconds. */
  readonly timeout?: string;
}

/** Where `svc up` listens. */
export const DEFAULT_SERVER = 'http://127.0.0.1:7420';

/** The server, credential and namespace that a command uses. */
export interface Target {
  readonly server: string;
  readonly namespace: string;
  readonly credentials: Pick<ClientOptions, 'token' | 'apiKey' | 'basic'>;
  readonly profile: string;
}

/** A flag wins over the environment, which wins over the profile, which wins over the default. */
export const resolveTarget = (host: Host, options: GlobalOptions): Target => {
  const { environment } = host;
  const { current, profiles } = readProfiles(host);
  const name = options.profile ?? nonEmpty(environment['SVC_PROFILE']) ?? current;
  const profile = profiles[name];
  if (profile === undefined && options.profile !== undefined) {
    throw new CommandFailure(`there is no profile ${name}`, { hint: 'svc profile list' });
  }
  return {
    server: withScheme(options.server ?? nonEmpty(environment['SVC_SERVER']) ?? profile?.server ?? DEFAULT_SERVER),
    namespace: options.namespace ?? nonEmpty(environment['SVC_NAMESPACE']) ?? profile?.namespace ?? 'default',
    credentials: credentialsOf(host, options, profile ?? {}),
    profile: name,
  };
};

const nonEmpty = (text: string | undefined): string | undefined => (text === '' ? undefined : text);

const withScheme = (server: string): string => {
  const text = /^[a-z]+:\/\//i.test(server) ? server : `http://${server}`;
  if (!/^https?:$/.test(URL.parse(text)?.protocol ?? ''))
    throw new CommandFailure(`${server} is not an address`, { hint: 'write it as http://host:port' });
  return text.replace(/\/+$/, '');
};

/** A credential that a profile holds for one server is never sent to another. */
const credentialsOf = (host: Host, options: GlobalOptions, profile: Profile): Target['credentials'] => {
  const token = options.token ?? nonEmpty(host.environment['SVC_TOKEN']);
  if (token !== undefined) return { token };
  const apiKey = nonEmpty(host.environment['SVC_API_KEY']);
  if (apiKey !== undefined) return { apiKey };
  const other = options.server ?? nonEmpty(host.environment['SVC_SERVER']);
  if (other !== undefined && withScheme(other) !== withScheme(profile.server ?? DEFAULT_SERVER)) return {};
  if (profile.token !== undefined) return { token: profile.token };
  if (profile.apiKey !== undefined) return { apiKey: profile.apiKey };
  return profile.password === undefined ? {} : { basic: { password: profile.password } };
};

interface ConnectOptions extends Pick<GlobalOptions, 'timeout'> {
  /** Waits for an unreachable server; other commands fail at once. */
  readonly isPatient?: boolean;
}

/** Options of the clients for a target. */
export const clientOptions = (target: Target, options: ConnectOptions = {}): ClientOptions => {
  const limit = timeoutMs(options);
  return {
    baseUrl: target.server,
    ...target.credentials,
    headers: { 'user-agent': 'svc-cli' },
    retry: { tries: options.isPatient === true ? 8 : 2 },
    ...(limit === undefined ? {} : { timeoutMs: limit }),
  };
};

/** A client of the target; makes no call. */
export const connect = (host: Host, target: Target, options: ConnectOptions = {}): Promise<Client> =>
  host.createClient(clientOptions(target, options));

/** `--timeout` in milliseconds. */
export const timeoutMs = ({ timeout }: GlobalOptions): number | undefined =>
  timeout === undefined ? undefined : durationMs('--timeout', timeout);

const DURATION = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/;

export const isDuration = (text: string): boolean => DURATION.test(text);

/** The largest delay of a Node.js timer; a longer one would fire at once. */
const LONGEST_MS = 2 ** 31 - 1;

/** Milliseconds of a duration such as `30s`, or of plain seconds; `flag` names it in an error. */
export const durationMs = (flag: string, text: string): number => {
  const match = DURATION.exec(text);
  const units = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 } as const;
  const unit = match?.[2] as keyof typeof units | undefined;
  if (match === null) throw new CommandFailure(`${flag} ${text} is not a duration`, { hint: 'write it as 30s or 5m' });
  const duration = Number(match[1]) * units[unit ?? 's'];
  if (duration > LONGEST_MS)
    throw new CommandFailure(`${flag} ${text} is too long`, { hint: `${Math.floor(LONGEST_MS / units.h)}h at most` });
  return duration;
};
