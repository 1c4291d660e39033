/**
 * home: the page at `/`, where `svc up` opens the browser: what is running, what to try, where to read on. It is one answer without
 * further requests, and shows nothing that needs a credential. App mounts it.
 */
export { homeRoute } from './home-route.ts';
