import { clientOptions, type GlobalOptions, resolveTarget } from '../connection.ts';
import { openPlain } from '../context.ts';
import { CommandFailure, exitCodes } from '../failure.ts';
import type { Host } from '../host.ts';
import { mapsOf, msOf, textOf } from '../json-value.ts';
import { outputForm, printValue } from '../output.ts';
import { type Profile, profilesPath, readProfiles, writeProfiles } from '../profiles.ts';
import { localTime, renderTable } from '../terminal/index.ts';
import { scopeText } from './grant-text.ts';

/** `svc whoami`: the identity that the server sees in this caller, and what it may do. */
export const whoami = async (host: Host, options: GlobalOptions): Promise<void> => {
  const form = outputForm(options.output);
  const { call, target } = await openPlain(host, options);
  const who = await call('AuthService/WhoAmI', {});
  const grants = mapsOf(who['grants']).map((grant) => ({
    role: textOf(grant['role']),
    scope: scopeText(grant) || '*',
    readSecrets: grant['readSecrets'] === true,
  }));
  if (form.form !== 'table' && form.form !== 'wide') {
    const { subject = '', mode = '', identity = '', serverVersion = '' } = who;
    return printValue(host, { server: target.server, subject, mode, identity, grants, serverVersion }, form);
  }
  const expiry = who['expiresAt'] === undefined ? [] : [['expires', localTime(msOf(who['expiresAt']))]];
  const facts = [
    ['server', `${target.server} (${textOf(who['serverVersion'])})`],
    ['subject', textOf(who['subject'])],
    ['signed in by', textOf(who['mode'])],
    ['identity', textOf(who['identity'])],
    ...expiry,
  ];
  for (const [name = '', value = ''] of facts) host.stdout.write(`${`${name}:`.padEnd(14)}${value}\n`);
  const rows = grants.map((grant) => [grant.role, grant.scope, grant.readSecrets ? 'yes' : 'no']);
  host.stdout.write(`\n${renderTable(['ROLE', 'WHERE', 'READS SECRETS'], rows, undefined)}`);
};

export interface LoginOptions extends GlobalOptions {
  readonly apiKey?: boolean;
  readonly password?: boolean;
}

/** `svc login [SERVER]`: checks a credential from standard input or a prompt and keeps it in the profile. */
export const login = async (host: Host, server: string | undefined, options: LoginOptions): Promise<void> => {
  const named: GlobalOptions = server === undefined ? options : { ...options, server };
  const { profiles, current } = readProfiles(host);
  const name = options.profile ?? current;
  const { profile: _unknown, ...rest } = named;
  const target = resolveTarget(host, rest);
  const credential = options.token ?? (await readCredential(host, options));
  const secret: Profile = credential === '' ? {} : { [fieldOf(options)]: credential };
  const credentials = credential === '' ? {} : clientCredentials(options, credential);
  const { call } = await host.createPlainClient(clientOptions({ ...target, credentials }));
  const who = await call('AuthService/WhoAmI', {});
  const namespace = options.namespace ?? profiles[name]?.namespace;
  const profile: Profile = { server: target.server, ...(namespace === undefined ? {} : { namespace }), ...secret };
  writeProfiles(host, { current: name, profiles: { ...profiles, [name]: profile } });
  host.stderr.write(
    `signed in to ${target.server} as ${textOf(who['subject'])}; kept in profile ${name} (${profilesPath(host)})\n`,
  );
};

const fieldOf = (options: LoginOptions): 'token' | 'apiKey' | 'password' => {
  if (options.apiKey === true) return 'apiKey';
  return options.password === true ? 'password' : 'token';
};

const clientCredentials = (options: LoginOptions, credential: string) => {
  const field = fieldOf(options);
  if (field === 'apiKey') return { apiKey: credential };
  return field === 'password' ? { basic: { password: credential } } : { token: credential };
};

/** Typed without echo; never from an argument, which other users of the machine could read. Empty is right for a server in mode none. */
const readCredential = async (host: Host, options: LoginOptions): Promise<string> => {
  if (!host.stdin.isTerminal) return (await host.stdin.readAll()).trim();
  const line = await host.askHidden(`${fieldOf(options)} (empty for a server without sign-in): `);
  if (line === undefined) throw new CommandFailure('nothing was entered', { exitCode: exitCodes.interrupted });
  return line.trim();
};

/** `svc logout`: forgets the credential of the profile, keeping server and namespace. */
export const logout = (host: Host, options: GlobalOptions): void => {
  const stored = readProfiles(host);
  const name = options.profile ?? stored.current;
  const profile = stored.profiles[name];
  if (profile === undefined && options.profile !== undefined)
    throw new CommandFailure(`there is no profile ${name}`, { hint: 'svc profile list' });
  if (profile === undefined) return host.stderr.write(`profile ${name} holds nothing\n`);
  const { token: _token, apiKey: _apiKey, password: _password, ...kept } = profile;
  writeProfiles(host, { ...stored, profiles: { ...stored.profiles, [name]: kept } });
  host.stderr.write(`signed out of ${kept.server ?? name}\n`);
};
