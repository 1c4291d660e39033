/** composer: the field below a conversation: text, files, what happens while the agent works, and what is sent. */

export { default as composerStyles } from './composer.module.css';
export { Composer } from './composer.tsx';
export { ProfileChoice } from './profile-choice.tsx';
