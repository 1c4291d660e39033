DROP TABLE prompt_sources;
