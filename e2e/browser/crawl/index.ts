/**
 * crawl: clicks every control of every screen once, by keyboard, and says which do nothing. Follows what a click opens, such as menus
 * and dialogs, and clicks what is in there as well.
 */
export { CRAWL_MS, Crawler } from './crawler.ts';
