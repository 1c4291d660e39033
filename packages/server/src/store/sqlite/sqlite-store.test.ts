import { storeConformance } from '../conformance/index.ts';
import { makeTestStore } from './testing/test-store.ts';

storeConformance('SQLite', () => makeTestStore({ durability: 'off' }));
storeConformance('SQLite with synced commits', () => makeTestStore({}));
