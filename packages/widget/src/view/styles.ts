/**
 * The look of the chat. A page changes it by the custom properties that `:host` reads, and by `::part`. The names that the chat itself
 * uses are ones that no page has: a page may set `--svc-chat-accent` to its own `--accent`.
 */
export const chatStyles = `
:host {
  color-scheme: light dark;
  --_svc-accent: var(--svc-chat-accent, light-dark(#4338ca, #a5b4fc));
  --_svc-on-accent: var(--svc-chat-on-accent, light-dark(#fff, #14142b));
  --_svc-background: var(--svc-chat-background, light-dark(#fff, #17181c));
  --_svc-text: var(--svc-chat-text, light-dark(#1c1d22, #ececf1));
  --_svc-muted: var(--svc-chat-muted, light-dark(#5d6070, #a3a6b4));
  --_svc-line: var(--svc-chat-line, light-dark(#e3e4ea, #31333c));
  --_svc-soft: var(--svc-chat-soft, light-dark(#f4f4f8, #22242b));
  --_svc-own: var(--svc-chat-own, light-dark(#ecebfd, #2b2d52));
  --_svc-danger: var(--svc-chat-danger, light-dark(#b3261e, #ff9c94));
  --_svc-radius: var(--svc-chat-radius, 16px);
  --_svc-mono: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace;
  display: block;
  height: var(--svc-chat-height, 560px);
  font: var(--svc-chat-font, 15px/1.55 system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif);
  color: var(--_svc-text);
  -webkit-text-size-adjust: 100%;
}
:host([theme='light']) { color-scheme: light; }
:host([theme='dark']) { color-scheme: dark; }
:host([hidden]) { display: none; }
:host([mode='bubble']) { display: contents; }
* { box-sizing: border-box; }
p { margin: 0; }
button, input, textarea, select { font: inherit; color: inherit; }
button { cursor: pointer; }
button:disabled { cursor: default; }
a { color: var(--_svc-accent); text-underline-offset: 2px; overflow-wrap: anywhere; }
:focus { outline: none; }
:focus-visible { outline: 2px solid var(--_svc-accent); outline-offset: 2px; }
.unseen { position: absolute; width: 1px; height: 1px; margin: -1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.muted { color: var(--_svc-muted); font-size: 0.87em; font-weight: 400; }
.plain { white-space: pre-wrap; overflow-wrap: anywhere; }
.icon { width: 1.15em; height: 1.15em; flex: none; fill: none; stroke: currentColor; stroke-width: 1.8; stroke-linecap: round; stroke-linejoin: round; }
.icon-stop { fill: currentColor; }
.icon-spinner { animation: turn 0.9s linear infinite; }
@keyframes turn { to { transform: rotate(1turn); } }

.panel {
  position: relative; display: flex; flex-direction: column; height: 100%; min-height: 0; overflow: hidden;
  background: var(--_svc-background); border: 1px solid var(--_svc-line); border-radius: var(--_svc-radius);
}
.floating {
  position: fixed; z-index: 2147483000; inset-block-end: calc(96px + env(safe-area-inset-bottom)); inset-inline-end: 24px;
  width: min(var(--svc-chat-width, 400px), calc(100vw - 48px)); height: min(var(--svc-chat-height, 640px), calc(100dvh - 128px));
  font: var(--svc-chat-font, 15px/1.55 system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif); color: var(--_svc-text);
  box-shadow: 0 24px 64px -16px rgb(16 18 40 / 35%), 0 4px 16px rgb(16 18 40 / 12%);
  animation: rise 0.18s ease-out;
}
@keyframes rise { from { opacity: 0; transform: translateY(12px) scale(0.98); } }
.launcher {
  position: fixed; z-index: 2147483000; inset-block-end: calc(24px + env(safe-area-inset-bottom)); inset-inline-end: 24px;
  display: grid; place-items: center; width: 56px; height: 56px; padding: 0; border: 0; border-radius: 50%;
  background: var(--_svc-accent); color: var(--_svc-on-accent); font-size: 22px;
  box-shadow: 0 8px 24px -4px rgb(16 18 40 / 40%); transition: transform 0.15s;
}
.launcher:hover { transform: scale(1.05); }
.unread { position: absolute; inset-block-start: 2px; inset-inline-end: 2px; width: 14px; height: 14px; border-radius: 50%; background: var(--_svc-danger); border: 2px solid var(--_svc-background); }

.header { display: flex; align-items: center; justify-content: space-between; gap: 8px; min-height: 56px; padding: 8px 10px 8px 18px; border-block-end: 1px solid var(--_svc-line); }
.heading-text { font-weight: 600; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.connection { display: flex; align-items: center; justify-content: center; gap: 8px; padding: 6px 16px; background: var(--_svc-soft); color: var(--_svc-muted); font-size: 0.87em; }

.body { position: relative; flex: 1; min-height: 0; }
.log { height: 100%; overflow-y: auto; overscroll-behavior: contain; overflow-anchor: none; padding: 18px; display: flex; flex-direction: column; gap: 16px; scrollbar-width: thin; }
.log:focus-visible { outline-offset: -3px; border-radius: 8px; }
.empty { margin: auto; display: grid; justify-items: center; gap: 10px; color: var(--_svc-muted); text-align: center; }
.empty .icon { width: 40px; height: 40px; stroke-width: 1.2; }
.failed { flex: 1; display: grid; place-content: center; justify-items: center; gap: 12px; padding: 32px; text-align: center; }
.failed > .icon { width: 32px; height: 32px; color: var(--_svc-danger); }
.note { display: flex; align-items: center; justify-content: center; gap: 8px; color: var(--_svc-muted); font-size: 0.87em; }
.message .note { justify-content: flex-start; }

.message { position: relative; display: flex; flex-direction: column; gap: 10px; min-width: 0; }
.user { align-items: flex-end; padding-inline-start: 15%; }
.user .text { padding: 9px 14px; background: var(--_svc-own); border-radius: var(--_svc-radius) var(--_svc-radius) 4px var(--_svc-radius); }
.user .note { justify-content: flex-end; }
.text { min-width: 0; max-width: 100%; overflow-wrap: anywhere; }
.text > * { margin-block: 0 0.7em; }
.text > :last-child { margin-block-end: 0; }
.text ul, .text ol { padding-inline-start: 1.5em; }
.text li { margin-block: 0.2em; }
.text li > ul, .text li > ol { margin-block: 0.2em; }
.task { font-size: 1.05em; }
.heading { font-weight: 650; line-height: 1.35; }
.heading:not(:first-child) { margin-block-start: 1em; }
.level-1 { font-size: 1.22em; }
.level-2 { font-size: 1.12em; }
blockquote { margin-inline: 0; padding-inline-start: 12px; border-inline-start: 3px solid var(--_svc-line); color: var(--_svc-muted); }
hr { width: 100%; border: 0; border-block-start: 1px solid var(--_svc-line); }
code { font-family: var(--_svc-mono); font-size: 0.88em; }
:not(pre) > code { padding: 0.12em 0.35em; background: var(--_svc-soft); border-radius: 5px; }
pre { margin: 0; padding: 12px 14px; overflow-x: auto; background: var(--_svc-soft); border-radius: 10px; line-height: 1.5; scrollbar-width: thin; tab-size: 2; }
.code { background: var(--_svc-soft); border-radius: 10px; overflow: hidden; }
.code pre { padding-block-start: 4px; border-radius: 0 0 10px 10px; }
.code pre:focus-visible { outline-offset: -2px; }
.code-bar { display: flex; justify-content: space-between; align-items: center; padding: 5px 6px 0 14px; color: var(--_svc-muted); font-size: 0.8em; }
.table { max-width: 100%; overflow-x: auto; border: 1px solid var(--_svc-line); border-radius: 10px; }
table { border-collapse: collapse; width: 100%; font-size: 0.93em; }
th, td { padding: 7px 12px; text-align: start; border-block-end: 1px solid var(--_svc-line); overflow-wrap: normal; }
tbody tr:last-child td { border-block-end: 0; }
th { background: var(--_svc-soft); font-weight: 600; }
.right { text-align: end; }
.center { text-align: center; }

.reasoning { color: var(--_svc-muted); font-size: 0.93em; }
summary { cursor: pointer; width: fit-content; color: var(--_svc-muted); border-radius: 6px; }
.reasoning .plain { margin-block-start: 6px; padding-inline-start: 12px; border-inline-start: 2px solid var(--_svc-line); }
.shimmer { animation: breathe 1.6s ease-in-out infinite; }
@keyframes breathe { 50% { opacity: 0.55; } }
.tool { display: flex; align-items: flex-start; gap: 8px; color: var(--_svc-muted); font-size: 0.87em; overflow-wrap: anywhere; }
.tool .icon { margin-block-start: 0.15em; }
.tool.failed { flex: none; display: flex; padding: 0; text-align: start; }
.tool + .tool { margin-block-start: -6px; }
.activity { padding-block: 4px; }
.dots { display: inline-flex; gap: 5px; }
.dots i { width: 7px; height: 7px; border-radius: 50%; background: var(--_svc-muted); animation: hop 1.2s ease-in-out infinite; }
.dots i:nth-child(2) { animation-delay: 0.15s; }
.dots i:nth-child(3) { animation-delay: 0.3s; }
@keyframes hop { 0%, 60%, 100% { opacity: 0.35; transform: none; } 30% { opacity: 1; transform: translateY(-3px); } }

.card { display: flex; flex-direction: column; gap: 12px; padding: 14px 16px; border: 1px solid var(--_svc-line); border-radius: 12px; min-width: 0; }
.request { border-color: color-mix(in srgb, var(--_svc-accent) 45%, var(--_svc-line)); background: color-mix(in srgb, var(--_svc-accent) 5%, var(--_svc-background)); }
.request-title, .error p { display: flex; gap: 9px; align-items: flex-start; }
.request-title { font-weight: 600; }
.request-title .icon, .error .icon { margin-block-start: 0.2em; }
.error { align-items: flex-start; border-color: color-mix(in srgb, var(--_svc-danger) 40%, var(--_svc-line)); }
.error .icon, .problem { color: var(--_svc-danger); }
.problem { font-size: 0.87em; }
.notice { padding: 6px 18px; }
.row { display: flex; flex-wrap: wrap; gap: 8px; }
.main-button, .plain-button { display: inline-block; padding: 7px 14px; border-radius: 10px; border: 1px solid var(--_svc-line); background: var(--_svc-background); font-weight: 550; text-decoration: none; }
.main-button { background: var(--_svc-accent); border-color: var(--_svc-accent); color: var(--_svc-on-accent); }
.main-button:hover { background: color-mix(in srgb, var(--_svc-accent) 88%, var(--_svc-text)); }
.plain-button { color: var(--_svc-text); }
.plain-button:hover { background: var(--_svc-soft); }
.main-button:disabled, .plain-button:disabled { opacity: 0.55; }
.quiet { padding: 3px 8px; border: 0; border-radius: 7px; background: none; color: var(--_svc-muted); font-size: 0.95em; }
.quiet:hover { background: color-mix(in srgb, var(--_svc-text) 8%, transparent); color: var(--_svc-text); }
.earlier { align-self: center; font-size: 0.87em; }
.sending { position: absolute; inset-block-start: 100%; inset-inline-end: 0; animation: appear 0.2s 0.6s both; }
@keyframes appear { from { opacity: 0; } }
.unsent { display: flex; flex-wrap: wrap; justify-content: flex-end; align-items: center; gap: 4px; color: var(--_svc-danger); font-size: 0.87em; }

.form { display: flex; flex-direction: column; gap: 14px; }
.field { display: flex; flex-direction: column; gap: 5px; margin: 0; padding: 0; border: 0; min-width: 0; }
.field > label, legend { font-weight: 550; padding: 0; }
legend { margin-block-end: 5px; }
.field input:not([type='checkbox'], [type='radio']), .field textarea, .field select {
  width: 100%; padding: 8px 11px; border: 1px solid color-mix(in srgb, var(--_svc-muted) 60%, var(--_svc-line)); border-radius: 9px; background: var(--_svc-background);
}
.field textarea { resize: vertical; }
.field [aria-invalid='true'] { border-color: var(--_svc-danger); }
.mono { font-family: var(--_svc-mono); font-size: 0.9em; }
.check { display: flex; align-items: center; gap: 9px; }
.check input { accent-color: var(--_svc-accent); width: 17px; height: 17px; margin: 0; flex: none; }

.files { display: flex; flex-wrap: wrap; gap: 8px; }
.user .files { justify-content: flex-end; }
.picture { display: block; max-width: min(100%, 320px); max-height: 320px; min-width: 24px; min-height: 24px; border-radius: 12px; border: 1px solid var(--_svc-line); background: var(--_svc-soft); object-fit: contain; }
.file, .chip { display: inline-flex; align-items: center; gap: 8px; max-width: 100%; padding: 7px 12px; border: 1px solid var(--_svc-line); border-radius: 10px; background: var(--_svc-background); color: var(--_svc-text); text-decoration: none; overflow-wrap: anywhere; }
button.file:hover:not(:disabled) { background: var(--_svc-soft); }
.file-name { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; min-width: 0; }
.chip { padding: 4px 4px 4px 8px; font-size: 0.87em; max-width: 220px; }
.chip img { width: 28px; height: 28px; margin-inline-start: -4px; border-radius: 6px; object-fit: cover; }

.composer { display: flex; flex-direction: column; gap: 8px; margin: 0 12px 12px; padding: 6px; border: 1px solid color-mix(in srgb, var(--_svc-muted) 45%, var(--_svc-line)); border-radius: calc(var(--_svc-radius) + 6px); background: var(--_svc-background); transition: border-color 0.12s, box-shadow 0.12s; }
.composer:focus-within { border-color: var(--_svc-accent); box-shadow: 0 0 0 3px color-mix(in srgb, var(--_svc-accent) 18%, transparent); }
.composer.dragging { border-style: dashed; border-color: var(--_svc-accent); }
.composer > .files, .composer > .problem { padding: 4px 6px 0; }
.drop { padding: 6px; text-align: center; color: var(--_svc-muted); font-size: 0.87em; }
.line { display: flex; align-items: flex-end; gap: 4px; }
.write { flex: 1; min-width: 0; min-height: 36px; max-height: 168px; padding: 6px 4px; border: 0; background: none; resize: none; field-sizing: content; line-height: 24px; font-size: max(1em, 15px); }
.write:focus-visible { outline: none; }
.write::placeholder { color: var(--_svc-muted); opacity: 1; }
.file-input { display: none; }
.icon-button { display: grid; place-items: center; flex: none; width: 36px; height: 36px; padding: 0; border: 0; border-radius: 50%; background: none; color: var(--_svc-muted); font-size: 17px; transition: background 0.12s; }
.icon-button:hover { background: color-mix(in srgb, var(--_svc-text) 8%, transparent); color: var(--_svc-text); }
.icon-button.small { width: 24px; height: 24px; font-size: 13px; }
.send { background: var(--_svc-accent); color: var(--_svc-on-accent); }
.send:hover { background: color-mix(in srgb, var(--_svc-accent) 88%, var(--_svc-text)); color: var(--_svc-on-accent); }
.send:disabled { background: var(--_svc-soft); color: var(--_svc-muted); }
.stop { background: var(--_svc-text); color: var(--_svc-background); }
.stop:hover { background: color-mix(in srgb, var(--_svc-text) 82%, var(--_svc-background)); color: var(--_svc-background); }
.to-end { position: absolute; inset-block-end: 10px; inset-inline: 0; margin-inline: auto; background: var(--_svc-background); border: 1px solid var(--_svc-line); color: var(--_svc-text); box-shadow: 0 4px 14px rgb(16 18 40 / 18%); }
.to-end:hover { background: var(--_svc-soft); }

@media (max-width: 520px) {
  .floating { inset: 0; width: 100%; height: 100dvh; border: 0; border-radius: 0; padding-block-end: env(safe-area-inset-bottom); }
  .launcher[aria-expanded='true'] { display: none; }
  .write { font-size: 16px; }
}
@media (prefers-reduced-motion: reduce) {
  * { animation-duration: 0.01ms; animation-iteration-count: 1; transition-duration: 0.01ms; }
}
@media (forced-colors: active) {
  .send, .stop, .launcher, .main-button { border: 1px solid ButtonText; }
}
`;
