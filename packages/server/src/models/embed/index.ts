/**
 * embed: texts to vectors, by the providers that offer it: one request, its time-out and its failure, as the drivers of models do it. The
 * caller decides whether and when to repeat a failed request. Used by the registry only.
 */
export { type EmbeddedTexts, embedTexts } from './embed-texts.ts';
