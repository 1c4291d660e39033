/**
 * runtime/permission: requests for permission as rows and as parts, their answers and their end. It does
 * not decide which calls must ask nor when a turn parks: the turn's tool batch does. Called by turn, sweeper and session.
 */
export { answerPermission, expirePermissions, PERMISSION_ANSWERED } from './permission-gate.ts';
export { closePermissions, permissionRow, requestPart, resultPart } from './permission-records.ts';
