import { generateKeyPairSync, sign } from 'node:crypto';

/** DER value of a tag. */
const der = (tag: number, ...content: Uint8Array[]): Buffer => {
  const body = Buffer.concat(content);
  const length =
    body.length < 0x80
      ? [body.length]
      : body.length < 0x100
        ? [0x81, body.length]
        : [0x82, body.length >> 8, body.length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), body]);
};

const sequence = (...content: Uint8Array[]): Buffer => der(0x30, ...content);
const hex = (text: string): Buffer => Buffer.from(text, 'hex');
/** ecdsa-with-SHA256 */
const ALGORITHM = sequence(hex('06082a8648ce3d040302'));
/** CN=localhost */
const NAME = sequence(der(0x31, sequence(hex('0603550403'), der(0x0c, Buffer.from('localhost')))));
const VALIDITY = sequence(der(0x17, Buffer.from('200101000000Z')), der(0x17, Buffer.from('491231235959Z')));

/** A key and a certificate of its own for tests of TLS, created each time so that no key lies in the repository. */
export const selfSigned = (): { readonly key: string; readonly cert: string } => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const serial = hex('020101');
  const version = der(0xa0, hex('020102'));
  const subject = publicKey.export({ type: 'spki', format: 'der' });
  const body = sequence(version, serial, ALGORITHM, NAME, VALIDITY, NAME, subject);
  const signature = sign('sha256', body, privateKey);
  const certificate = sequence(body, ALGORITHM, der(0x03, Buffer.from([0]), signature));
  const lines = certificate.toString('base64').replace(/.{64}/g, '$&\n');
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  return { key, cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n` };
};
