-- Whether a uid is free: no resource has it, and no removed one had it that the change log remembers.
CREATE INDEX resources_uid ON resources (uid);
CREATE INDEX changes_removed_uid ON changes (uid) WHERE change = 'deleted';
