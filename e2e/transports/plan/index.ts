/**
 * plan: what the differential test calls: requests made from the descriptors by chance and by hand, and what
 * carries them out and makes outcomes of different servers comparable. Knows no protocol.
 */
export { generateCall, type PlannedCall } from './call-generator.ts';
export { seedCalls } from './call-seeds.ts';
export { SeededRandom } from './seeded-random.ts';
export { describeCall, World } from './world.ts';
