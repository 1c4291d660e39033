DROP INDEX permissions_open_id;
DROP TABLE answer_links;
