import { describeRoundTrips } from './conformance/round-trip-cases.ts';

describeRoundTrips();
