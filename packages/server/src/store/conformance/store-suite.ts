import { describe } from 'vitest';
import { artifactCases } from './artifact-cases.ts';
import { channelCases } from './channel-cases.ts';
import { claimCases } from './claim-cases.ts';
import { describedCases } from './described-cases.ts';
import { messageCases } from './message-cases.ts';
import { placeCases } from './place-cases.ts';
import { resourceCases } from './resource-cases.ts';
import { resourceListCases } from './resource-list-cases.ts';
import { searchCases } from './search-cases.ts';
import { sessionCases } from './session-cases.ts';
import type { MakeStore } from './store-under-test.ts';
import { transactionCases } from './transaction-cases.ts';
import { turnCases } from './turn-cases.ts';
import { uidCases } from './uid-cases.ts';
import { workCases } from './work-cases.ts';

/** Every method of the store contract and its invariants S1 to S5; `make` opens an empty store for each test. */
export const storeConformance = (engine: string, make: MakeStore): void => {
  describe(`store contract on ${engine}`, () => {
    transactionCases(make);
    resourceCases(make);
    resourceListCases(make);
    uidCases(make);
    placeCases(make);
    sessionCases(make);
    messageCases(make);
    channelCases(make);
    searchCases(make);
    turnCases(make);
    claimCases(make);
    workCases(make);
    describedCases(make);
    artifactCases(make);
  });
};
