DROP INDEX changes_removed_uid;
DROP INDEX resources_uid;
