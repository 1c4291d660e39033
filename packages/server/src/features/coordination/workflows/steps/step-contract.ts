import type { WorkflowStep } from '@svc/api/resources';
import type { JsonData } from '../../../../resources/index.ts';
import type { OpenRun, StepState, StepStatus } from '../record/index.ts';

/** Why an attempt failed. */
export interface StepFailure {
  /** In capitals, for programs. */
  readonly code: string;
  readonly message: string;
  /** What an agent or a tool answered, where that is why. */
  readonly text?: string;
  /** No further attempt is made. */
  readonly isFinal?: true;
}

/** How an attempt ended. */
export type StepEnd =
  | { readonly end: 'completed'; readonly output: JsonData; readonly isRepaired?: boolean }
  | { readonly end: 'failed'; readonly failure: StepFailure };

/** How an attempt began: it ended at once, or something else will end it later. */
export type StepBegin =
  | StepEnd
  | { readonly end: 'later'; readonly status: StepStatus; readonly facts?: Partial<StepState> };

/** An attempt that begins, in the transaction in which it does. */
export interface BeginningStep {
  readonly open: OpenRun;
  readonly step: WorkflowStep;
  /** Its attempt is counted already. */
  readonly state: StepState;
  /** Undefined where the step has none. */
  readonly input: JsonData | undefined;
  readonly prompt: string;
}

/** A type of step. */
export interface StepType {
  /** Begins an attempt. A Fault that it throws is the failure of the attempt, and undoes what it wrote. */
  begin(beginning: BeginningStep): Promise<StepBegin>;
}

/** A failed attempt. */
export const failed = (code: string, message: string, more: Partial<StepFailure> = {}): StepEnd => ({
  end: 'failed',
  failure: { code, message, ...more },
});
