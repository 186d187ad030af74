-- Lists are answered from columns in memory (run_table.h). What they read first is in indexes of their own, so that it is
-- read without the wide rows; a change number on each row tells what to read again.
ALTER TABLE index_state ADD COLUMN changes INTEGER NOT NULL DEFAULT 0; -- counts changes of any row of runs
ALTER TABLE runs ADD COLUMN changed INTEGER NOT NULL DEFAULT 0;        -- its value at the row's newest one

DROP INDEX runs_by_creation;
CREATE INDEX runs_listed ON runs (created_unix_ms, status, archived, deleted_unix_ms, measured_tokens_per_second_per_device);
CREATE INDEX runs_shown ON runs (name, tags, sweep_id, notes, world_size, dp, tp, pp, zero_stage, micro_batch_size,
    num_micro_batches, measured_mfu, measured_memory_peak_bytes, measured_bubble_fraction, measured_final_loss);
CREATE INDEX runs_changed ON runs (changed);
CREATE INDEX runs_by_epoch ON runs (epoch, run_id);

CREATE TRIGGER run_added AFTER INSERT ON runs BEGIN
    UPDATE index_state SET changes = changes + 1;
    UPDATE runs SET changed = (SELECT changes FROM index_state) WHERE id = new.id;
END;
CREATE TRIGGER run_changed AFTER UPDATE ON runs WHEN new.changed = old.changed BEGIN
    UPDATE index_state SET changes = changes + 1;
    UPDATE runs SET changed = (SELECT changes FROM index_state) WHERE id = new.id;
END;
CREATE TRIGGER run_removed AFTER DELETE ON runs BEGIN
    UPDATE index_state SET changes = changes + 1;
END;
