import { describeRefusals } from './conformance/refusal-cases.ts';
import { sqliteEngine } from './testing/index.ts';

describeRefusals(sqliteEngine);
