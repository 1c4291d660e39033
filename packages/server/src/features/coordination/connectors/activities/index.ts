/**
 * features/coordination/connectors/activities: signals to connector services that an agent is typing, for classes with the annotation
 * `option.svc/activities: typing`. Best effort: nothing is stored and no turn waits. Called by the hook of turns.
 */
export { Typing } from './typing.ts';
