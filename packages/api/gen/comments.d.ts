// Generated from the comments of proto/svc by tools/generate/comments.mjs; do not edit.
export declare const comments: Readonly<Record<string, string>>;
