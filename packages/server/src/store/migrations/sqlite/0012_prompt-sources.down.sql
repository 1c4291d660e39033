DROP INDEX prompt_sources_oldest;
DROP TABLE prompt_sources;
