-- Activity that many transactions write at once, such as the last session of an agent: each writes the row of its own
-- connection, so that none waits for the commit of another. The greatest number is the newest; `activity` counts where no
-- row is here (what was written before this step, or copied in).
CREATE TABLE activity_slots (
  uid text COLLATE "C" NOT NULL,
  slot integer NOT NULL,
  number bigint NOT NULL,
  body text NOT NULL,
  PRIMARY KEY (uid, slot)
);
CREATE SEQUENCE activity_numbers AS bigint CACHE 1;
