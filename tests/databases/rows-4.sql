-- What one with schema 4 noted of a point of a sweep that was not run.
INSERT INTO point_not_run VALUES (1,'size=128','skipped','size>64','2026-11-22T02:20:00Z');
INSERT INTO point_parameter VALUES (1,'size=128','size','128');
