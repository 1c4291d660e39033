/**
 * seed: an instance with something of everything that the console shows, made through the API as its users make it: a shop with agents,
 * conversations, a channel, a messaging platform, schedules, workflows, files and limits. Knows nothing of pages.
 */

export { ChatPlatform } from './chat-platform.ts';
export { LargeSeed, type Planted } from './large-seed.ts';
export { type Seeded, ShopSeed } from './seed.ts';
