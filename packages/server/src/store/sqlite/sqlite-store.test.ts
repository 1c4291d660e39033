import { storeConformance } from '../conformance/index.ts';
import { makeTestStore } from './test-store.ts';

storeConformance('SQLite', () => makeTestStore({ durability: 'off' }));
storeConformance('SQLite with synced commits', () => makeTestStore({}));
