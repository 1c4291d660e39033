/**
 * sandbox/docker: sandboxes as containers of a Docker engine, through its client, which is loaded with the first call. What a container is made of is
 * decided in `container-rules.ts`, what a class may say in `docker-settings-rules.ts`; who may use which sandbox is decided elsewhere.
 */
export { DockerKind } from './docker-kind.ts';
