DROP INDEX delegations_child;
DROP TABLE delegations;
