/**
 * store/postgres/tables/activity: what a resource was last used for, by its uid, in rows that transactions write side by side.
 */
export { changeActivity, dropActivity, NEWEST_ACTIVITY, readActivity, setActivity } from './activity-sql.ts';
