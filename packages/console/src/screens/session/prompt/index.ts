/** prompt: what the model saw at a step, piece by piece. */
export { stepAddressText } from './step-address.ts';
