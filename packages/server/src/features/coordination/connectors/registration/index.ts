/**
 * features/coordination/connectors/registration: how classes are registered with their connector services: when, with what, the attempts
 * and their backoff, and the conditions of a class that follow. Secrets of callbacks are in `callbacks`. The module lists the
 * worker and the reconciler.
 */
export { classState, type ProviderReport } from './class-state.ts';
export { type ClassStatusDeps, changeClass, classStatus } from './class-status.ts';
export { TRUSTED_NAMESPACE } from './register-call.ts';
export { cancelRegistration, Registrar, type RegistrarDeps, registerAgain } from './registrar.ts';
export { registrationTrigger } from './registration-trigger.ts';
export { secretArrived } from './secret-arrived.ts';
export { wantedRegistration } from './wanted-registration.ts';
