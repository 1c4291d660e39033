import { describe, expect, it } from 'vitest';
import { shippedConnectors } from './platforms/index.ts';
import { SettingError, Settings } from './settings.ts';

const known = [
  { name: 'token', description: 'key of the bot', isSecret: true, isRequired: true, environment: 'BOT_TOKEN' },
  { name: 'apiUrl', description: 'address', isSecret: false, isRequired: false, environment: 'BOT_URL' },
];

describe('settings', () => {
  it('name what is missing, where it may be given, and what is unknown', () => {
    expect(() => new Settings(known, { token: ' ' })).toThrow(/token is missing \(key of the bot\).*BOT_TOKEN/);
    expect(() => new Settings(known, { token: 'x', tokens: 'y' })).toThrow(
      /tokens is not a setting; there are token, apiUrl/,
    );
    expect(() => new Settings(known, { token: 'x' }).require('apiUrl')).toThrow(SettingError);
    expect(new Settings(known, { token: ' x ', apiUrl: undefined }).get('token')).toBe('x');
  });
});

describe('addresses among the settings', () => {
  const addressed = known.map((setting) => ({ ...setting, isAddress: setting.name === 'apiUrl' }));

  it.each(['127.0.0.1:80', 'ftp://host', 'https://ada:secret@host'])('are refused: %s', (apiUrl) => {
    const open = () => new Settings(addressed, { token: 'x', apiUrl });
    expect(open).toThrow(/^apiUrl is not an http or https address/);
    expect(open).not.toThrow(/secret/);
  });

  it('are taken with a path', () => {
    const apiUrl = 'https://host/api';
    expect(new Settings(addressed, { token: 'x', apiUrl }).get('apiUrl')).toBe(apiUrl);
  });
});

describe('shipped connectors', () => {
  it('have names, settings and variables of their own, and indexes that svc takes', () => {
    expect(new Set(shippedConnectors.map(({ name }) => name)).size).toBe(shippedConnectors.length);
    for (const { settings, matchIndexes } of shippedConnectors) {
      expect(new Set(settings.flatMap(({ name, environment }) => [name, environment])).size).toBe(2 * settings.length);
      expect(matchIndexes.length).toBeGreaterThan(0);
      for (const { name, fields } of matchIndexes)
        expect([name, ...fields].join(',')).toMatch(/^[a-z_]+(,[a-z_]+){1,8}$/);
    }
  });
});
