/**
 * embed: texts to vectors, by the providers that offer it: one request, its time-out and its failure, as the drivers of models do it. Who
 * repeats a failed request, and when, is the caller's matter. Used by the registry only.
 */
export { embedTexts } from './embed-texts.ts';
