/**
 * app/wiring: how the parts are built from one another, one file per theme; a list, no logic. Called by server.ts only.
 */
export { openAccess } from './access.ts';
export { administrationOperations } from './administration.ts';
export { skillSource } from './authoring.ts';
export { type BackupParts, wireBackups } from './backups.ts';
export { coordinationKinds, coordinationMachinery } from './coordination.ts';
export { type Engines, openEngines, type ServerHost } from './engines.ts';
export { clientUrl, fileKinds, fileMachinery, wireFiles } from './files.ts';
export { type Observation, openObservation, operatorRoutes, watchParts } from './observation.ts';
export { type AppParts, surfaceOf } from './operations.ts';
export { type PlatformParts, wirePlatform, wireSecrets } from './platform.ts';
export { joinMachinery, wireResources } from './resources.ts';
export { namespaceTurns, type TurnParts, wireModels, wireTurns } from './turns.ts';
