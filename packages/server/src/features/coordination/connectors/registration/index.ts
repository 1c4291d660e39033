/**
 * features/coordination/connectors/registration: how classes are registered with their connector services: when, with what, the attempts
 * and their backoff, and the conditions of a class that follow. Secrets of callbacks are in `callbacks`. The module lists the
 * worker and the reconciler.
 */
export { classState, type ProviderReport, type RegisteredAs } from './class-state.ts';
export { type ClassStatusDeps, changeClass, classStatus } from './class-status.ts';
export { TRUSTED_NAMESPACE } from './register-call.ts';
export { acceptRegistration, cancelRegistration, Registrar, type RegistrarDeps, registerSoon } from './registrar.ts';
export { registrationTrigger } from './registration-trigger.ts';
export { wantedRegistration } from './wanted-registration.ts';
