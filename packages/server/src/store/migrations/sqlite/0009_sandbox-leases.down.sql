DROP INDEX sandbox_leases_scope;
DROP TABLE sandbox_leases;
