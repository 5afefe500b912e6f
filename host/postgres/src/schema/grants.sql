-- What the role of the servers may do: read, and call functions. It can neither change nor remove an entry.
REVOKE ALL ON SCHEMA pif FROM PUBLIC;
REVOKE ALL ON ALL TABLES IN SCHEMA pif FROM PUBLIC;
REVOKE ALL ON ALL FUNCTIONS IN SCHEMA pif FROM PUBLIC;
GRANT USAGE ON SCHEMA pif TO :role;
GRANT SELECT ON ALL TABLES IN SCHEMA pif TO :role;
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA pif TO :role;
REVOKE EXECUTE ON FUNCTION pif.trim_chain(bigint, bigint) FROM :role;
