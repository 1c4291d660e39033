import { describeWriters } from './conformance/writer-cases.ts';

describeWriters();
