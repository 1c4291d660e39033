/**
 * home: what people see at `/` and below, where `svc up` opens the browser: the built console, or where there is none one page that
 * says what is running, what to try and how to build it. Neither needs a credential, and neither shows anything that needs one.
 * App mounts it.
 */
export { frontRoutes } from './front-routes.ts';
