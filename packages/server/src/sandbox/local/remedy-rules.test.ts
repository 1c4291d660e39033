import { describe, expect, it } from 'vitest';
import { failureRemedy, type MachineFacts, missingPart, rlimitsNote } from './remedy-rules.ts';

const machine = (change: Partial<MachineFacts> = {}, settings: MachineFacts['settings'] = {}): MachineFacts => ({
  platform: 'linux',
  bubblewrap: '/usr/bin/bwrap',
  isContainer: false,
  settings,
  ...change,
});
const CLONE = '/proc/sys/kernel/unprivileged_userns_clone';
const MOST = '/proc/sys/user/max_user_namespaces';
const APPARMOR = '/proc/sys/kernel/apparmor_restrict_unprivileged_userns';

describe('what a machine lacks for jails', () => {
  it('is another system or a package', () => {
    expect(missingPart(machine())).toBe('');
    expect(missingPart(machine({ platform: 'win32' }))).toContain('provider docker');
    expect(missingPart(machine({ bubblewrap: undefined }))).toContain('dnf install bubblewrap');
  });

  it.each([
    [machine({ isContainer: true }), "Can't mount proc on /newroot/proc", 'systempaths=unconfined'],
    [machine({}, { [CLONE]: '0' }), 'No permissions', 'unprivileged_userns_clone=1'],
    [machine({}, { [CLONE]: '1', [MOST]: '0' }), 'No space left', 'max_user_namespaces=15000'],
    [machine({ isContainer: true }), 'Operation not permitted', '--cap-add SYS_ADMIN'],
    [machine({}, { [APPARMOR]: '1' }), 'setting up uid map: Permission denied', 'AppArmor profile'],
    [machine({}, { [APPARMOR]: '0' }), 'something new', 'update bubblewrap'],
  ])('is named with the remedy: %j %s', (facts, complaint, remedy) => {
    expect(failureRemedy(complaint, facts)).toContain(remedy);
  });

  it('is said of limits too', () => {
    expect(rlimitsNote(true)).toContain('how many processes');
    expect(rlimitsNote(false)).not.toContain('how many processes');
  });
});
