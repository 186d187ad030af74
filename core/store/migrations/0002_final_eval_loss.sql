-- Held-out loss of the last evaluation. Rows written before get theirs from the points (fillAddedColumns).
ALTER TABLE runs ADD COLUMN forecast_final_eval_loss REAL;
ALTER TABLE runs ADD COLUMN measured_final_eval_loss REAL;
