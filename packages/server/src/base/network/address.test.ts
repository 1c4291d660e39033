import { isIP } from 'node:net';
import { describe, expect, test } from 'vitest';
import { clientNetwork, contains, parseAddress, parseNetwork } from './address.ts';

const v6 = (value: bigint) => ({ family: 6, value });
const v4 = (value: bigint) => ({ family: 4, value });

describe('an address', () => {
  test.each([
    ['0.0.0.0', v4(0n)],
    ['127.0.0.1', v4(0x7f00_0001n)],
    ['255.255.255.255', v4(0xffff_ffffn)],
    ['::', v6(0n)],
    ['::1', v6(1n)],
    ['1::', v6(1n << 112n)],
    ['::7f00:1', v6(0x7f00_0001n)],
    ['::127.0.0.1', v6(0x7f00_0001n)],
    ['2001:db8:0:0:0:0:0:1', v6(0x2001_0db8_0000_0000_0000_0000_0000_0001n)],
    ['2001:DB8::1', v6(0x2001_0db8_0000_0000_0000_0000_0000_0001n)],
    ['64:ff9b:1::10.0.0.1', v6(0x0064_ff9b_0001_0000_0000_0000_0a00_0001n)],
    ['1:2:3:4:5:6:7::', v6(0x0001_0002_0003_0004_0005_0006_0007_0000n)],
    ['::ffff:127.0.0.1', v4(0x7f00_0001n)],
    ['::ffff:7f00:1', v4(0x7f00_0001n)],
    ['0:0:0:0:0:FFFF:10.0.0.5', v4(0x0a00_0005n)],
    ['::ffff:0:127.0.0.1', v6(0xffff_0000_7f00_0001n)],
  ])('is read from %s', (text, expected) => expect(parseAddress(text)).toEqual(expected));

  test.each([
    '',
    'localhost',
    '127.999.1.1',
    '256.0.0.1',
    '127.0.0.01',
    '0177.0.0.1',
    '0x7f.0.0.1',
    '127.1',
    '2130706433',
    '127.0.0.1.',
    '127.0.0.1:80',
    ' 127.0.0.1',
    ':',
    ':::',
    '1::2::3',
    '1:2:3:4:5:6:7',
    '1:2:3:4:5:6:7:8:9',
    '1:2:3:4:5:6:7::8:9',
    '12345::',
    '::g',
    '::1.2.3',
    '1.2.3.4::',
    '::1.2.3.4:5',
    '[::1]',
    'fe80::1%eth0',
    '::1/128',
  ])('is not %j', (text) => expect(parseAddress(text)).toBeUndefined());

  test('is what node:net takes for one, but for zones', () => {
    const pieces = ['::', ':', '.', '0', '1', 'ffff', '7f00', '255', '256', '01', '127', 'g', '1:2:3', '10.0.0.1'];
    let seed = 7;
    const pick = (count: number): number => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      return Math.floor((seed / 2_147_483_648) * count);
    };
    for (let round = 0; round < 20_000; round++) {
      const text = Array.from({ length: 1 + pick(9) }, () => pieces[pick(pieces.length)]).join('');
      expect([text, parseAddress(text) !== undefined]).toEqual([text, isIP(text) !== 0]);
    }
  });
});

describe('a network', () => {
  const holds = (network: string, address: string): boolean | undefined => {
    const [range, single] = [parseNetwork(network), parseAddress(address)];
    return range === undefined || single === undefined ? undefined : contains(range, single);
  };

  test.each([
    ['10.0.0.0/8', '10.255.255.255', true],
    ['10.0.0.0/8', '11.0.0.0', false],
    ['10.1.2.3', '10.1.2.3', true],
    ['10.1.2.3', '10.1.2.4', false],
    ['0.0.0.0/0', '93.184.216.34', true],
    ['0.0.0.0/0', '::1', false],
    ['::/0', '::1', true],
    ['::/0', '10.0.0.1', false],
    ['fe80::/10', 'febf::1', true],
    ['fe80::/10', 'fec0::1', false],
    ['::ffff:10.0.0.0/104', '10.9.9.9', true],
    ['10.0.0.0/8', '::ffff:a09:909', true],
  ])('%s and %s: %s', (network, address, expected) => expect(holds(network, address)).toBe(expected));

  test.each([
    '',
    '10.0.0.0/33',
    '::/129',
    '10.0.0.0/',
    '10.0.0.0/08',
    '10.0.0.0/8/8',
    '10.0.0.0/x',
    '::ffff:0:0/95',
    'a/8',
  ])('is not %j', (text) => expect(parseNetwork(text)).toBeUndefined());
});

test.each([
  ['192.0.2.1', '192.0.2.1', true],
  ['192.0.2.1', '192.0.2.2', false],
  ['::ffff:192.0.2.1', '::ffff:c000:201', true],
  ['2001:db8:1:2::3', '2001:0db8:1:2:aaaa::', true],
  ['2001:db8:1:2::3', '2001:db8:1:3::3', false],
  ['no address', 'no address', true],
  ['no address', 'another', false],
])('clients at %s and %s are one client: %s', (left, right, isOne) => {
  expect(clientNetwork(left) === clientNetwork(right)).toBe(isOne);
});
