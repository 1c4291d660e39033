import { describeWriters } from './conformance/writer-cases.ts';
import { sqliteEngine } from './testing/index.ts';

describeWriters(sqliteEngine);
