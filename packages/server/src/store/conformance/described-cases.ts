import { describe } from 'vitest';
import { describedTables } from './described-samples.ts';
import { expiringCases } from './expiring-cases.ts';
import { keyedCases } from './keyed-cases.ts';
import { leaseCases } from './lease-cases.ts';
import { queueCases } from './queue-cases.ts';
import type { MakeStore } from './store-under-test.ts';

/** What each form of table promises, of every description. */
export const describedCases = (make: MakeStore): void => {
  describe('described tables', () => {
    for (const [name, table] of describedTables)
      describe(`${name} (${table.form})`, () => {
        if (table.form === 'keyed') keyedCases(make, name, table);
        if (table.form === 'expiring') expiringCases(make, name, table);
        if (table.form === 'lease') leaseCases(make, name);
        if (table.form === 'queue') queueCases(make, name);
      });
  });
};
