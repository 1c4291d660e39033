import type { FieldValue } from '../model/index.ts';
import type { RequestAnswer } from '../session/index.ts';

/** What a person can do in a chat. */
export interface ChatActions {
  readonly openPanel: () => void;
  readonly closePanel: () => void;
  /** Loads the conversation again after it could not be shown. */
  readonly reload: () => void;
  readonly loadEarlier: () => void;
  readonly toEnd: () => void;
  readonly submit: () => void;
  readonly stop: () => void;
  readonly typed: (text: string) => void;
  readonly attach: (files: readonly File[]) => void;
  readonly detach: (id: string) => void;
  readonly dragging: (isOver: boolean) => void;
  readonly sendAgain: (id: string) => void;
  readonly discard: (id: string) => void;
  readonly answerAgain: (messageId: string) => void;
  readonly answer: (requestId: string, answer: RequestAnswer) => void;
  readonly fill: (requestId: string, field: string, value: FieldValue) => void;
  readonly submitForm: (requestId: string, schema: unknown) => void;
  readonly showImage: (messageId: string, part: MediaPart) => void;
  readonly download: (messageId: string, part: MediaPart) => void;
}

/** A part with bytes. */
export interface MediaPart {
  readonly id: string;
  readonly mediaType: string;
  readonly filename: string;
}
