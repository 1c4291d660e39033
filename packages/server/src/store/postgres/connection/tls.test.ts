// @service postgresql
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { silentLog } from '../../../base/index.ts';
import { selfSigned } from '../../../transport/testing/self-signed.ts';
import { openTestStore } from '../testing/test-store.ts';
import { withPostgres } from '../testing/with-postgres.ts';
import { composed, Database } from './index.ts';

const IS_ENCRYPTED = composed<{ ssl: boolean }>('SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()');
const tls = selfSigned();

let dir: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'svc-tls-'));
  writeFileSync(join(dir, 'ca.pem'), tls.cert);
  writeFileSync(join(dir, 'stranger.pem'), selfSigned().cert);
});
afterAll(() => rmSync(dir, { recursive: true }));

withPostgres(
  'a connection to a database with TLS',
  (postgres) => {
    /** The certificate is made out to `localhost`. */
    const isEncrypted = async (query: string, host = 'localhost'): Promise<boolean> => {
      const address = (await postgres.databases.create()).replace('127.0.0.1', host);
      const database = new Database({ url: address + query, log: silentLog, poolSize: 1, isSynced: true });
      onTestFinished(() => database.close());
      return (await database.one(IS_ENCRYPTED)).ssl;
    };
    const ca = () => `&sslrootcert=${join(dir, 'ca.pem')}`;
    const refusal = (code: string) => ({
      ...{ code: 'UNAVAILABLE', reason: 'STORAGE' },
      message: expect.stringMatching(`the certificate of the database is refused \\(${code}\\)`),
    });

    it('is encrypted when the certificate is that of its root and its host', async () => {
      for (const mode of ['verify-full', 'verify-ca', 'require', 'prefer'])
        expect([mode, await isEncrypted(`?sslmode=${mode}${ca()}`)]).toEqual([mode, true]);
      expect(await isEncrypted(`?sslmode=verify-full${ca()}&options=-c%20search_path%3Dpublic`)).toBe(true);
    });

    it('carries a whole store', async () => {
      const url = (await postgres.databases.create()).replace('127.0.0.1', 'localhost');
      const { store } = await openTestStore({ url: `${url}?sslmode=verify-full${ca()}` });
      onTestFinished(() => store.close());
      await store.write((tx) => tx.instance.setValue('n', 'over TLS'));
      expect(await store.read((tx) => tx.instance.value('n'))).toBe('over TLS');
    });

    it('is refused for a certificate that nobody vouches for, in every mode that asks for TLS', async () => {
      for (const mode of ['verify-full', 'verify-ca', 'require', 'prefer'])
        await expect(isEncrypted(`?sslmode=${mode}`)).rejects.toMatchObject(refusal('DEPTH_ZERO_SELF_SIGNED_CERT'));
      const stranger = `&sslrootcert=${join(dir, 'stranger.pem')}`;
      await expect(isEncrypted(`?sslmode=verify-full${stranger}`)).rejects.toMatchObject(
        refusal('[A-Z_]*SELF_SIGNED[A-Z_]*|[A-Z_]*VERIFY[A-Z_]*|CERT_[A-Z_]*'),
      );
    });

    it('is refused for the certificate of another host', async () => {
      await expect(isEncrypted(`?sslmode=require${ca()}`, '127.0.0.1')).rejects.toMatchObject(
        refusal('ERR_TLS_CERT_ALTNAME_INVALID'),
      );
    });

    it('believes any certificate, or asks for none, only where the address says so', async () => {
      for (const query of ['?sslmode=no-verify', '?sslmode=require&uselibpqcompat=true'])
        expect(await isEncrypted(query, '127.0.0.1')).toBe(true);
      for (const query of ['', '?sslmode=disable']) expect(await isEncrypted(query)).toBe(false);
    });

    it('names the file of roots that is not there', async () => {
      const missing = join(dir, 'missing.pem');
      await expect(isEncrypted(`?sslmode=verify-full&sslrootcert=${missing}`)).rejects.toMatchObject({
        reason: 'STORAGE',
        message: expect.stringContaining(missing),
      });
    });
  },
  { tls },
);

withPostgres('a connection to a database without TLS', (postgres) => {
  it('is refused where the address asks for it', async () => {
    for (const mode of ['require', 'prefer', 'no-verify']) {
      const url = `${await postgres.databases.create()}?sslmode=${mode}`;
      const database = new Database({ url, log: silentLog, poolSize: 1, isSynced: true });
      await expect(database.one(IS_ENCRYPTED)).rejects.toMatchObject({ code: 'UNAVAILABLE', reason: 'STORAGE' });
      await database.close();
    }
  });
});
