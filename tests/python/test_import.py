"""Other trackers' files as runs. The fixtures have the tables that mlflow 3.17 and trackio 0.26 make (tests/python/test_peers.py compares)."""
import contextlib
import io
import json
import math
import os
import sqlite3
import unittest

from support import PROGRAM, HomeTest, main

import slipway_import


class Import(HomeTest):
    def imported(self, *arguments):
        out, errors = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
            code = slipway_import.main(list(arguments))
        return code, out.getvalue(), errors.getvalue()

    def sqlite(self, name, script):
        path = os.path.join(self.home, name)
        base = sqlite3.connect(path)
        base.executescript(script)
        base.close()
        return path

    def mlflow(self):
        return self.sqlite("m.db", """
            CREATE TABLE runs (run_uuid TEXT, name TEXT, start_time INTEGER, lifecycle_stage TEXT);
            CREATE TABLE params (run_uuid TEXT, key TEXT, value TEXT);
            CREATE TABLE metrics (key TEXT, value REAL, timestamp INTEGER, run_uuid TEXT, step INTEGER, is_nan INTEGER);
            INSERT INTO runs VALUES ('a', 'one', 1700000000000, 'active'), ('b', 'gone', 1, 'deleted');
            INSERT INTO params VALUES ('a', 'lr', '0.1'), ('a', 'num_layers', '4'), ('a', 'api_key', 'hush');
            INSERT INTO metrics VALUES ('train/loss', 3, 1700000000001, 'a', 1, 0), ('train/loss', 2, 1700000000002, 'a', 2, 0),
                ('train/loss', 2.5, 1700000000003, 'a', 2, 0), ('train/loss', 0, 1700000000004, 'a', 3, 1),
                ('train/loss', 1.7976931348623157e308, 1700000000005, 'a', 4, 0), ('train/loss', 1, 1, 'a', -5, 0),
                ('train/loss', 1, 1, 'b', 1, 0);""")

    def test_mlflow(self):
        code, out, errors = self.imported(self.mlflow())
        self.assertEqual((code, out.split("  ")[1]), (0, "one, 4 steps\n"), errors)
        self.assertIn("values left out of one (no number, no step or no name): 1", errors)
        self.assertEqual([(s["step"], s["values"]) for s in self.steps()],
                         [(1, {"loss": 3.0}), (2, {"loss": 2.5}), (3, {"loss": "nan"}), (4, {"loss": "inf"})])
        config = json.loads(self.text("config.json"))
        self.assertEqual((config["partial"], config["optimizer"], config["model"]), (True, {"lr": 0.1}, {"num_layers": 4}))
        self.assertNotIn("parallel", config)
        self.assertNotIn("hush", self.text("environment.json"))

    @unittest.skipUnless(os.access(PROGRAM, os.X_OK), "SLIPWAY_PROGRAM does not name the program slipway")
    def test_slipway_shows_it(self):
        self.imported(self.mlflow())
        run = self.only_run()
        self.assertEqual((run["name"], run["status"], run["tags"], run["last_step"]), ("one", "completed", ["imported", "mlflow"], 4))

    def test_trackio(self):
        path = self.sqlite("p.db", """
            CREATE TABLE metrics (id INTEGER PRIMARY KEY, run_id TEXT, timestamp TEXT, run_name TEXT, step INTEGER, metrics TEXT);
            CREATE TABLE configs (id INTEGER PRIMARY KEY, run_id TEXT, run_name TEXT, config TEXT);
            INSERT INTO configs VALUES (1, 'x', 'same', '{"lr": 0.2, "_Username": "me"}');
            INSERT INTO metrics VALUES (1, 'x', '2026-11-23T19:55:01+00:00', 'same', 0, '{"train/loss": 2.0, "a": {"b": 1}, "s": "t"}'),
                (2, 'y', '2026-11-23T19:55:02+00:00', 'same', 0, '{"loss": NaN}'), (3, 'y', 'no time', 'same', 1, 'not json');""")
        code, out, errors = self.imported(path)
        self.assertEqual((code, len(self.folders())), (0, 2), out + errors)
        runs = sorted((self.steps(run=i) for i in range(2)), key=lambda s: str(s[0]["values"]))
        self.assertEqual(runs[0][0]["values"], {"loss": "nan"})
        self.assertEqual(runs[1][0]["values"], {"loss": 2.0, "a/b": 1.0})
        self.assertEqual(runs[1][0]["time_unix_ms"], 1795463701000)

    def test_mlflow_file_store(self):
        run = os.path.join(self.home, "mlruns", "1", "abc")
        os.makedirs(os.path.join(run, "metrics", "train"))
        os.makedirs(os.path.join(run, "params"))
        files = {"meta.yaml": "run_name: two\nstart_time: 1700000000000\nlifecycle_stage: active\n", "params/lr": "0.5",
                 "metrics/train/loss": "1700000000001 3.0 0\n1700000000002 nan 1\nbroken\n"}
        for name, text in files.items():
            with open(os.path.join(run, name), "w", encoding="utf-8") as file:
                file.write(text)
        code, out, errors = self.imported(os.path.join(self.home, "mlruns"))
        self.assertEqual((code, out.split("  ")[1]), (0, "two, 2 steps\n"), errors)
        self.assertEqual([s["values"] for s in self.steps()], [{"loss": 3.0}, {"loss": "nan"}])
        # A link leads out of the store.
        os.symlink("/etc/passwd", os.path.join(run, "params", "stolen"))
        code, _, errors = self.imported(os.path.join(self.home, "mlruns"))
        self.assertEqual((code, len(self.folders())), (2, 1), errors)

    def test_hostile_names(self):
        table = slipway_import.Table(slipway_import._safe("a\x1b[31m\u202eb"), "x", "mlflow")
        for name, value in (("loss", 1), ("bad\x1b", 2), ("n" * 300, 3), ("", 4), ("time_unix_ms", 5), ("tokens", math.nan)):
            table.add(1, name, value)
        slipway_import.write(table, self.home)
        self.assertEqual(json.loads(self.text("meta.json"))["name"], "a[31mb")
        self.assertEqual(self.steps()[0]["values"], {"loss": 1.0})
        self.assertEqual(table.refused, 3)

    def test_refuses_in_a_sentence(self):
        other = self.sqlite("other.db", "CREATE TABLE t (x);")
        text = os.path.join(self.home, "x.txt")
        with open(text, "w", encoding="utf-8") as file:
            file.write("hello")
        parquet = os.path.join(self.home, "x.parquet")
        with open(parquet, "w", encoding="utf-8") as file:
            file.write("PAR1 not really")
        aim = os.path.join(self.home, ".aim")
        os.makedirs(os.path.join(aim, "meta"))
        os.makedirs(os.path.join(aim, "seqs"))
        for source, why in ((other, "neither MLflow nor Trackio"), (text, "try slipway import"), (aim, "repository of Aim"),
                            (parquet, "pyarrow" if not _has_pyarrow() else "cannot be read"), (os.path.join(self.home, "none"), "No such file")):
            code, _, errors = self.imported(source)
            self.assertEqual(code, 2, source)
            self.assertIn(why, errors)
        self.assertFalse(os.path.exists(os.path.join(self.home, "runs")))


def _has_pyarrow():
    try:
        import pyarrow.parquet  # noqa: F401
    except ImportError:
        return False
    return True


if __name__ == "__main__":
    main()
