#!/usr/bin/env node
/**
 * The `svc` command. Only what Node.js 14 can read: an older one than svc needs shall say so in a sentence, or hand over.
 */
import nodeVersion from './node-version.cjs';

if (nodeVersion.isNewEnough) import('./begin.mjs');
