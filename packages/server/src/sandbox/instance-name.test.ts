import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createIds, ManualClock, seededRandom } from '../base/index.ts';
import { InstanceName } from './instance-name.ts';

it('is made once for each folder of data, and again where a crash left a part of it', () => {
  const root = mkdtempSync(join(tmpdir(), 'svc-instance-'));
  const ids = createIds(new ManualClock(), seededRandom(1));
  const name = new InstanceName(join(root, 'a'), ids).get();
  expect(name).toMatch(/^[0-9a-f-]{36}$/);
  expect(new InstanceName(join(root, 'a'), ids).get()).toBe(name);
  expect(new InstanceName(join(root, 'b'), ids).get()).not.toBe(name);
  writeFileSync(join(root, 'a', 'instance'), '');
  const again = new InstanceName(join(root, 'a'), ids).get();
  expect([again === name, new InstanceName(join(root, 'a'), ids).get()]).toEqual([false, again]);
  rmSync(root, { recursive: true });
});
