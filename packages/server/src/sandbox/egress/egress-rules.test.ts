import { describe, expect, it } from 'vitest';
import { isDestinationAllowed, parseAuthority, parseTarget } from './egress-rules.ts';

describe('the destination of a request', () => {
  it.each([
    ['example.com:443', { host: 'example.com', port: 443 }],
    ['Example.COM:8080', { host: 'example.com', port: 8080 }],
    ['[::1]:80', { host: '::1', port: 80 }],
    ['example.com', undefined],
    ['example.com:0', undefined],
    ['example.com:70000', undefined],
    ['a b:80', undefined],
    ['user@host:80', undefined],
    ['', undefined],
  ])('of a tunnel %j is %j', (text, wanted) => {
    expect(parseAuthority(text)).toEqual(wanted);
  });

  it.each([
    ['http://example.com/x', { host: 'example.com', port: 80 }],
    ['http://[::1]:8080/', { host: '::1', port: 8080 }],
    ['https://example.com/', undefined],
    ['http://user:pass@example.com/', undefined],
    ['http://user@example.com/', undefined],
    ['http://:secret@example.com/', undefined],
    ['/path', undefined],
  ])('of a plain request %j is %j', (text, wanted) => {
    expect(parseTarget(text)).toEqual(wanted);
  });
});

describe('a restricted network', () => {
  it.each([
    ['example.com', { host: 'example.com', port: 443 }, true],
    ['example.com', { host: 'example.com.', port: 80 }, true],
    ['example.com', { host: 'example.com', port: 22 }, false],
    ['example.com:22', { host: 'example.com', port: 22 }, true],
    ['example.com:22', { host: 'example.com', port: 443 }, false],
    ['example.com', { host: 'www.example.com', port: 443 }, false],
    ['*.example.com', { host: 'www.example.com', port: 443 }, true],
    ['*.example.com', { host: 'example.com', port: 443 }, false],
    ['*.example.com', { host: 'badexample.com', port: 443 }, false],
    ['*.example.com', { host: '.example.com', port: 443 }, false],
    ['Example.com', { host: 'example.com', port: 443 }, true],
  ])('with %s reaches %j: %s', (entry, destination, wanted) => {
    expect(isDestinationAllowed({ mode: 'hosts', hosts: [entry] }, destination)).toBe(wanted);
  });

  it('reaches nothing without entries, and an open one every name', () => {
    const destination = { host: 'example.com', port: 443 };
    expect(isDestinationAllowed({ mode: 'hosts', hosts: [] }, destination)).toBe(false);
    expect(isDestinationAllowed({ mode: 'none' }, destination)).toBe(false);
    expect(isDestinationAllowed({ mode: 'public' }, destination)).toBe(true);
  });
});
