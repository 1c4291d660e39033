import type { GlobalOptions } from '../connection.ts';
import { CommandFailure } from '../failure.ts';
import type { Host } from '../host.ts';
import { outputForm, printList } from '../output.ts';
import { type Profile, readProfiles, writeProfiles } from '../profiles.ts';
import { renderTable } from '../terminal/index.ts';

/** `svc profile list`. */
export const listProfiles = (host: Host, options: GlobalOptions): void | Promise<void> => {
  const form = outputForm(options.output);
  const { current, profiles } = readProfiles(host);
  if (form.form !== 'table' && form.form !== 'wide') {
    // Credentials are not shown.
    const items = Object.entries(profiles).map(([name, { server = '', namespace = 'default' }]) => ({
      name,
      server,
      namespace,
      isCurrent: name === current,
    }));
    return printList(host, { items }, form);
  }
  const rows = Object.entries(profiles).map(([name, profile]) => {
    const credential = ['token', 'apiKey', 'password'].find((field) => field in profile) ?? '-';
    return [name === current ? '*' : '', name, profile.server ?? '-', profile.namespace ?? 'default', credential];
  });
  if (rows.length === 0) return host.stderr.write('no profiles; `svc login` creates one\n');
  host.stdout.write(renderTable(['', 'NAME', 'SERVER', 'NAMESPACE', 'CREDENTIAL'], rows, undefined));
};

/** `svc profile use NAME`. */
export const useProfile = (host: Host, name: string): void => {
  const stored = readProfiles(host);
  if (stored.profiles[name] === undefined)
    throw new CommandFailure(`there is no profile ${name}`, { hint: 'svc profile list' });
  writeProfiles(host, { ...stored, current: name });
  host.stderr.write(`using profile ${name}\n`);
};

/** `svc profile set`: sets server and namespace of a profile, and creates it if missing. */
export const setProfile = (host: Host, name: string, options: GlobalOptions): void => {
  const stored = readProfiles(host);
  const { server, namespace } = options;
  const profile: Profile = {
    ...stored.profiles[name],
    ...(server === undefined ? {} : { server }),
    ...(namespace === undefined ? {} : { namespace }),
  };
  writeProfiles(host, { ...stored, profiles: { ...stored.profiles, [name]: profile } });
  host.stderr.write(`profile ${name} saved\n`);
};

/** `svc profile delete NAME`. */
export const deleteProfile = (host: Host, name: string): void => {
  const stored = readProfiles(host);
  if (stored.profiles[name] === undefined)
    throw new CommandFailure(`there is no profile ${name}`, { hint: 'svc profile list' });
  const profiles = Object.fromEntries(Object.entries(stored.profiles).filter(([known]) => known !== name));
  writeProfiles(host, { current: stored.current === name ? 'default' : stored.current, profiles });
  host.stderr.write(`profile ${name} deleted\n`);
};
