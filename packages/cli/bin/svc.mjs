#!/usr/bin/env node
/**
 * The `svc` command. Uses only syntax of Node.js 14, so that an older version than svc needs can say so, or start the right one.
 */
import nodeVersion from './node-version.cjs';

if (nodeVersion.isNewEnough) import('./begin.mjs');
