DROP TABLE delegations;
