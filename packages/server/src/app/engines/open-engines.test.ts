import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Places } from '../upkeep/testing/index.ts';
import { openEngines } from './index.ts';

let places: Places;
beforeEach(() => {
  places = new Places();
});
afterEach(() => places.dispose());

const surroundings = () => ({ ...places.host, fatal: () => undefined, environment: {} });

describe('a server that starts', () => {
  it('on a data directory of another one leaves its keys alone', async () => {
    const { config, dataDir, open } = places.place();
    const { store } = await open();
    await expect(openEngines(config, surroundings())).rejects.toMatchObject({ reason: 'DATA_DIR_IN_USE' });
    expect(existsSync(join(dataDir, 'keys'))).toBe(false);
    await store.close();
  });

  it('without usable keys lets its data directory go again', async () => {
    const { config, dataDir, upkeep } = places.place();
    const file = join(dataDir, 'keys', 'master.json');
    mkdirSync(join(dataDir, 'keys'), { recursive: true });
    writeFileSync(file, 'no keys');
    chmodSync(file, 0o600);
    await expect(openEngines(config, surroundings())).rejects.toMatchObject({ reason: 'KEY_FILE' });
    expect(await upkeep.isInUse()).toBe(false);
  });
});
