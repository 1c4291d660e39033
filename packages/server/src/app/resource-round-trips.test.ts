import { describeRoundTrips } from './conformance/round-trip-cases.ts';
import { sqliteEngine } from './testing/index.ts';

describeRoundTrips(sqliteEngine);
