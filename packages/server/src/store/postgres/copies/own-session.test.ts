// @service postgresql
import { expect, it } from 'vitest';
import { silentLog } from '../../../base/index.ts';
import { CuttingProxy } from '../testing/cutting-proxy.ts';
import { withPostgres } from '../testing/with-postgres.ts';
import { OwnSession } from './own-session.ts';

withPostgres('the connection of a copy', (postgres) => {
  it('is given up with a Fault when it breaks before its transaction begins', async () => {
    const { proxy, url } = await CuttingProxy.start(await postgres.databases.create());
    const begun = OwnSession.begin({ url, log: silentLog }, 'BEGIN', async (database) => {
      (await database.acquire()).release(false);
      proxy.cutAll();
    });
    await expect(begun).rejects.toMatchObject({ code: 'UNAVAILABLE', reason: 'STORAGE' });
    await proxy[Symbol.asyncDispose]();
  });
});
