import { describe, expect, test } from 'vitest';
import { parseAddress } from './address.ts';
import { isLoopbackAddress, isLoopbackHost, isPublicAddress } from './special-ranges.ts';

const isPublic = (text: string): boolean | undefined => {
  const address = parseAddress(text);
  return address && isPublicAddress(address);
};

describe('a public address', () => {
  // Each range by its first and its last address, and what lies just outside of it where that is public.
  test.each([
    ...['0.0.0.0', '0.255.255.255', '10.0.0.0', '10.255.255.255', '100.64.0.0', '100.127.255.255', '127.0.0.0'],
    ...['127.255.255.255', '169.254.0.0', '169.254.169.254', '169.254.255.255', '172.16.0.0', '172.31.255.255'],
    ...['192.0.0.0', '192.0.0.255', '192.0.2.0', '192.0.2.255', '192.88.99.0', '192.88.99.1', '192.88.99.255'],
    ...['192.168.0.0', '192.168.255.255', '198.18.0.0', '198.19.255.255', '198.51.100.0', '198.51.100.255'],
    ...['203.0.113.0', '203.0.113.255', '224.0.0.0', '239.255.255.255', '240.0.0.0', '255.255.255.255'],
  ])('is not %s', (text) => expect(isPublic(text)).toBe(false));

  test.each([
    ...['::', '::1', '::7f00:1', '::127.0.0.1', '::ffff:127.0.0.1', '::ffff:a00:1', '::ffff:0:127.0.0.1'],
    ...['64:ff9b::', '64:ff9b::7f00:1', '64:ff9b::8.8.8.8', '64:ff9b:1::', '64:ff9b:1:ffff:ffff:ffff:ffff:ffff'],
    ...['100::', '100::ffff:ffff:ffff:ffff', '100:0:0:1::1', '2001::', '2001:0:7f00:1::', '2001:2::1', '2001:10::1'],
    ...['2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff', '2001:db8::1', '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff', '2002::'],
    ...['2002:7f00:1::', '2002:808:808::1', '2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '3fff::1', '3fff:fff::1'],
    ...['4000::1', '5f00::1', '8000::1', 'fc00::', 'fdff::1', 'fe80::1', 'febf::1', 'fec0::', 'feff::1', 'ff02::1'],
  ])('is not %s', (text) => expect(isPublic(text)).toBe(false));

  test.each([
    ...['1.0.0.0', '8.8.8.8', '9.255.255.255', '11.0.0.0', '93.184.216.34', '100.63.255.255', '100.128.0.0'],
    ...['126.255.255.255', '128.0.0.0', '172.15.255.255', '172.32.0.0', '192.0.1.0', '192.88.98.255', '192.88.100.0'],
    ...['192.167.255.255', '192.169.0.0', '198.17.255.255', '198.20.0.0', '223.255.255.255', '::ffff:8.8.8.8'],
    ...[
      '2000::1',
      '2001:200::1',
      '2001:4860:4860::8888',
      '2003::1',
      '2606:2800:220:1::1',
      '2620:4f:8000::1',
      '3ffe::1',
    ],
  ])('is %s', (text) => expect(isPublic(text)).toBe(true));
});

describe('this machine', () => {
  test.each(['127.0.0.1', '127.255.255.254', '::1', '0:0:0:0:0:0:0:1', '::ffff:127.0.0.1', '::ffff:7f00:1'])(
    'has the address %s',
    (text) => expect([isLoopbackAddress(text), isLoopbackHost(text)]).toEqual([true, true]),
  );
  test.each(['localhost', 'LOCALHOST', 'localhost.', 'app.localhost', 'a.b.localhost'])('has the name %s', (name) =>
    expect([isLoopbackAddress(name), isLoopbackHost(name)]).toEqual([false, true]),
  );
  test.each([
    ...['127.999.1.1', '127.0.0.256', '127.0.0.1.example', '127.0.0.1.', '127.1', '0.0.0.0', '::', '::2', '::7f00:1'],
    ...['10.0.0.1', 'localhost.example', 'notlocalhost', '.localhost', 'localhost..', 'evil localhost', ''],
  ])('is not %j', (text) => expect([isLoopbackAddress(text), isLoopbackHost(text)]).toEqual([false, false]));
});
