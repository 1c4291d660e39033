/**
 * store/bus/local: the bus of a single process. Delivers the same object to every subscriber, synchronously and in order;
 * nothing is ever lost, so `onGap` never fires. Opened by `app` only.
 */
export { createLocalBus } from './local-bus.ts';
