/**
 * home: the page at `/`, where `svc up` opens the browser: what runs here, what to try, where to look. It is one answer without any
 * further request, and tells nothing that needs a credential. App mounts it.
 */
export { homeRoute } from './home-route.ts';
