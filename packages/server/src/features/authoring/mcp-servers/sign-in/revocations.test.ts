import { beforeEach, describe, expect, it } from 'vitest';
import { silentLog } from '../../../../base/index.ts';
import { OAuthFailure, type OAuthFailureKind } from '../../../../protocols/mcp-oauth/contract.ts';
import type { QueueItem, WriteTx } from '../../../../store/contracts/index.ts';
import type { Grant, GrantSecrets } from './grants.ts';
import { queueRevocation, Revocations } from './revocations.ts';

const GRANT = {
  key: { namespace: 'default', serverUid: 'uid', identity: 'ann' },
  version: 3,
  isTrusted: false,
  secrets: { accessToken: 'access', refreshToken: 'refresh', place: {}, client: {} } as GrantSecrets,
} as Grant & { readonly secrets: GrantSecrets };
const seal = {
  seal: (place: string, text: string) => place + text,
  open: (place: string, text: string) => text.slice(place.length),
};

let item: QueueItem | undefined;
let revoked: string[];
let failure: OAuthFailureKind | undefined;
let isHanging: boolean;
let revocations: Revocations;
let queue: (version: number) => Promise<void>;
beforeEach(async () => {
  [item, revoked, failure, isHanging] = [undefined, [], undefined, false];
  const items = {
    put: async (put: QueueItem) => {
      item = put;
    },
    cancel: async () => {
      item = undefined;
    },
  };
  const tx = { queue: items, steadyNow: () => 0 } as unknown as WriteTx;
  revocations = new Revocations({
    seal,
    log: silentLog,
    store: { write: (work) => work(tx) },
    oauth: {
      revoke: async (_place, _client, { token, signal }) => {
        revoked.push(token);
        if (isHanging) await new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
        if (failure !== undefined) throw new OAuthFailure(failure, 'no');
      },
    },
  });
  queue = (version) => queueRevocation(tx, seal, { ...GRANT, version });
  await queue(3);
});

const run = () => revocations.run(item as QueueItem);

describe('the revocation of a token', () => {
  it('is done once the authorization server took or refused it', async () => {
    await run();
    await revocations.settled();
    expect([revoked, item]).toEqual([['refresh'], undefined]);
  });

  it.each(['rejected', 'unsupported'] as const)('is not asked for again when the answer is %s', async (kind) => {
    failure = kind;
    await run();
    await revocations.settled();
    expect(item).toBeUndefined();
  });

  it('is asked for again while the authorization server is down, and not for ever', async () => {
    failure = 'unreachable';
    for (let round = 0; item !== undefined; round++) {
      expect(round).toBeLessThan(20);
      await run();
      await revocations.settled();
    }
    expect(revoked).toHaveLength(11);
  });

  it('does not hold up the queue while the authorization server is slow, and stays queued when the process ends', async () => {
    isHanging = true;
    expect(await run()).toEqual({ againMs: 60_000 });
    for (let version = 4; version < 19; version++) {
      await queue(version);
      expect(await run()).toEqual({ againMs: 60_000 });
    }
    await queue(19);
    expect(await run()).toEqual({ againMs: 1_000 });
    expect(revoked).toHaveLength(16);
    await revocations.close();
    expect(item).toMatchObject({ kind: 'mcp-revoke-token' });
  });
});
