/**
 * runtime/inspection: what a model was sent, rebuilt from what is stored: the journal and the turn say what a request was made of
 * (`StepRecord`), messages and sources hold the texts, the hash of the request tells whether the result is what left. It writes nothing
 * and does not own the prompt (runtime/prompt assembles it), the body of a provider (models) or what callers see. Made by app, which
 * hands it to the sessions feature.
 */
export { createStepInspector } from './step-inspector.ts';
