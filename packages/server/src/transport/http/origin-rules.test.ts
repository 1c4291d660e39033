import { describe, expect, it } from 'vitest';
import type { Exchange } from './exchange.ts';
import { OriginRules } from './origin-rules.ts';

const request = (headers: Readonly<Record<string, string>>): Exchange =>
  ({ header: (name: string) => headers[name], http2: false }) as unknown as Exchange;

describe('OriginRules', () => {
  const rules = new OriginRules({ corsOrigins: [], loopbackOnly: true, trustProxy: false });

  it('refuses a request that names no host where only loopback names may', () => {
    expect(() => rules.check(request({}))).toThrow(expect.objectContaining({ reason: 'HOST' }));
  });

  it('lets a loopback host without an origin pass', () => {
    expect(rules.check(request({ host: '127.0.0.1:7420' }))).toBe('');
  });
});
