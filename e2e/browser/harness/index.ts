/**
 * harness: the console in Debian's Chromium against a real server with the seeded shop: windows that are signed in as somebody, watched
 * for everything that must never happen, and judged by the rules of accessibility. Called by every test of the browser suite.
 */
export { accessibilityFaults } from './accessibility.ts';
export { ShopInstance } from './instance.ts';
export { takePicture } from './picture.ts';
export { Tab } from './tab.ts';
