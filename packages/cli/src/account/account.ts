import { clientOptions, type GlobalOptions, resolveTarget } from '../connection.ts';
import { openPlain } from '../context.ts';
import { CommandFailure, exitCodes } from '../failure.ts';
import { mapsOf, msOf, textOf } from '../json-value.ts';
import { outputForm, printValue } from '../output.ts';
import { type Profile, profilesPath, readProfiles, writeProfiles } from '../profiles.ts';
import { localTime, renderTable } from '../terminal/index.ts';
import type { World } from '../world.ts';
import { scopeText } from './grant-text.ts';

/** `svc whoami`: the identity that the server sees in this caller, and what it may do. */
export const whoami = async (world: World, options: GlobalOptions): Promise<void> => {
  const form = outputForm(options.output);
  const { call, target } = await openPlain(world, options);
  const who = await call('AuthService/WhoAmI', {});
  const grants = mapsOf(who['grants']).map((grant) => ({
    role: textOf(grant['role']),
    scope: scopeText(grant) || '*',
    readSecrets: grant['readSecrets'] === true,
  }));
  if (form.form !== 'table' && form.form !== 'wide') {
    const { subject = '', mode = '', identity = '', serverVersion = '' } = who;
    return printValue(world, { server: target.server, subject, mode, identity, grants, serverVersion }, form);
  }
  const expiry = who['expiresAt'] === undefined ? [] : [['expires', localTime(msOf(who['expiresAt']))]];
  const facts = [
    ['server', `${target.server} (${textOf(who['serverVersion'])})`],
    ['subject', textOf(who['subject'])],
    ['signed in by', textOf(who['mode'])],
    ['identity', textOf(who['identity'])],
    ...expiry,
  ];
  for (const [name = '', value = ''] of facts) world.stdout.write(`${`${name}:`.padEnd(14)}${value}\n`);
  const rows = grants.map((grant) => [grant.role, grant.scope, grant.readSecrets ? 'yes' : 'no']);
  world.stdout.write(`\n${renderTable(['ROLE', 'WHERE', 'READS SECRETS'], rows, undefined)}`);
};

export interface LoginOptions extends GlobalOptions {
  readonly apiKey?: boolean;
  readonly password?: boolean;
}

/** `svc login [SERVER]`: checks a credential from standard input or a prompt and keeps it in the profile. */
export const login = async (world: World, server: string | undefined, options: LoginOptions): Promise<void> => {
  const named: GlobalOptions = server === undefined ? options : { ...options, server };
  const { profiles, current } = readProfiles(world);
  const name = options.profile ?? current;
  const { profile: _unknown, ...rest } = named;
  const target = resolveTarget(world, rest);
  const credential = options.token ?? (await readCredential(world, options));
  const secret: Profile = credential === '' ? {} : { [fieldOf(options)]: credential };
  const credentials = credential === '' ? {} : clientCredentials(options, credential);
  const { call } = await world.createPlainClient(clientOptions({ ...target, credentials }));
  const who = await call('AuthService/WhoAmI', {});
  const namespace = options.namespace ?? profiles[name]?.namespace;
  const profile: Profile = { server: target.server, ...(namespace === undefined ? {} : { namespace }), ...secret };
  writeProfiles(world, { current: name, profiles: { ...profiles, [name]: profile } });
  world.stderr.write(
    `signed in to ${target.server} as ${textOf(who['subject'])}; kept in profile ${name} (${profilesPath(world)})\n`,
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
const readCredential = async (world: World, options: LoginOptions): Promise<string> => {
  if (!world.stdin.isTerminal) return (await world.stdin.readAll()).trim();
  const line = await world.askHidden(`${fieldOf(options)} (empty for a server without sign-in): `);
  if (line === undefined) throw new CommandFailure('nothing was entered', { exitCode: exitCodes.interrupted });
  return line.trim();
};

/** `svc logout`: forgets the credential of the profile, keeping server and namespace. */
export const logout = (world: World, options: GlobalOptions): void => {
  const stored = readProfiles(world);
  const name = options.profile ?? stored.current;
  const profile = stored.profiles[name];
  if (profile === undefined && options.profile !== undefined)
    throw new CommandFailure(`there is no profile ${name}`, { hint: 'svc profile list' });
  if (profile === undefined) return world.stderr.write(`profile ${name} holds nothing\n`);
  const { token: _token, apiKey: _apiKey, password: _password, ...kept } = profile;
  writeProfiles(world, { ...stored, profiles: { ...stored.profiles, [name]: kept } });
  world.stderr.write(`signed out of ${kept.server ?? name}\n`);
};
