/**
 * view: what a chat looks like, as a description of its state. Pure; what a person does goes to the actions that it is given.
 */
export type { ChatActions, MediaPart } from './chat-actions.ts';
export { chatView, type PanelState } from './chat-view.ts';
export type { FilledForm } from './request-view.ts';
export { chatStyles } from './styles.ts';
