DROP TABLE sandbox_leases;
