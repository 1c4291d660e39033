import './ui/base.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App, prepare } from './app/app.tsx';
import { applyTheme } from './ui/theme.ts';

applyTheme();
const place = document.getElementById('root');
if (place === null) throw new Error('index.html has no element with the id "root"');

/** A server that takes longer is told of. */
const WAIT_MS = 400;

await Promise.race([prepare(), new Promise((resolve) => setTimeout(resolve, WAIT_MS))]);
createRoot(place).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
