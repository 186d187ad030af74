"""Other trackers' files as runs. The fixtures have the tables that mlflow 3.17 and trackio make and the framing of wandb 0.31."""
import contextlib
import io
import json
import math
import os
import random
import sqlite3
import struct
import unittest
import zlib

from support import PROGRAM, HomeTest, main

import slipway
import slipway_exports
import slipway_import


def varint(number):
    out = b""
    while number > 127:
        out, number = out + bytes([number & 127 | 128]), number >> 7
    return out + bytes([number])


def field(number, value):
    """Of a protobuf message."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    value = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(value)) + value


def items(values, nested=True):
    return b"".join(field(1, b"".join(field(2 if nested else 1, part) for part in name.split("/")) + field(16, text))
                    for name, text in values.items())


def wandb_file(records):
    """As wandb 0.31 writes it: the record that does not fit into a block is cut into parts."""
    out = b":W&B" + struct.pack("<HB", 0xBEE1, 0)
    for record in records:
        is_first = True
        while True:
            left = 32768 - len(out) % 32768
            if left < 7:
                out += b"\0" * left
                continue
            part, record = record[: left - 7], record[left - 7:]
            kind = bytes([(1 if is_first else 4) if not record else 2 if is_first else 3])
            out += struct.pack("<IH", zlib.crc32(part, zlib.crc32(kind)), len(part)) + kind + part
            is_first = False
            if not record:
                break
    return out


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
        self.assertEqual((run["measured"]["final_loss"], run["measured"]["min_loss"]), ("inf", 2.5))

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

    def wandb(self, data=None):
        def history(step, **values):
            return field(2, items({name.replace("__", "/"): text for name, text in values.items()}) + field(2, field(1, step) if step else b""))

        if data is None:
            data = wandb_file([field(17, field(1, "id") + field(4, items({"lr": "0.1", "model": '{"hidden_size": 64}', "api_key": '"hush"'}, False))
                                     + field(8, "a run")),
                               history(0, train__loss="3", _timestamp="1795463216.25", text='"%s"' % ("x" * 70000)),
                               history(10, train__loss="NaN", nested='{"a": 1, "t": "x"}'), field(18, b"")])
        path = os.path.join(self.home, "run-id.wandb")
        with open(path, "wb") as file:
            file.write(data)
        return path

    def test_wandb(self):
        code, out, errors = self.imported(self.wandb())
        self.assertEqual((code, out.split("  ")[1], errors), (0, "a run, 2 steps\n", ""))
        self.assertEqual([(s["step"], s["values"]) for s in self.steps()], [(0, {"loss": 3.0}), (10, {"loss": "nan", "nested/a": 1.0})])
        self.assertEqual(self.steps()[0]["time_unix_ms"], 1795463216250)
        config = json.loads(self.text("config.json"))
        self.assertEqual((config["optimizer"], config["model"]), ({"lr": 0.1}, {"hidden_size": 64}))
        self.assertNotIn("hush", self.text("environment.json"))

    def test_wandb_that_was_cut_or_damaged(self):
        # Blocks end with a part of a record or with filling.
        def history(step):
            return field(2, items({"loss": str(step / 8), "text": '"%s"' % ("x" * (step % 97))}) + field(2, field(1, step)))

        fills = field(9, "x" * (32768 - 7 - 7 - 3 - 4))  # but for three bytes of its block
        whole = wandb_file([fills] + [history(step) for step in range(1, 4000)])
        table, = slipway_import.read_wandb(self.wandb(whole))
        self.assertEqual((table.steps, table.refused), ({step: {"loss": step / 8} for step in range(1, 4000)}, 0))
        seed = int(os.environ.get("SLIPWAY_SEED", random.randrange(1 << 30)))
        print(f"seed {seed}")
        chance = random.Random(seed)
        for _ in range(10):
            data = bytearray(whole[: chance.randrange(40000, len(whole) + 1)])
            for _ in range(50):
                data[chance.randrange(32768, len(data))] ^= 1 << chance.randrange(8)
            table, = slipway_import.read_wandb(self.wandb(bytes(data)))
            self.assertGreater(table.refused, 0)
            for step, values in table.steps.items():  # what is read is what was written
                self.assertEqual(values, {"loss": step / 8})
        # Messages that are no protobuf, behind good checksums.
        for _ in range(300):
            table, = slipway_import.read_wandb(self.wandb(wandb_file([chance.randbytes(chance.randrange(60)) for _ in range(5)])))

    def server(self, pages):
        """Answers of a server by path and page; what was asked is in self.asked."""
        self.asked = []

        def ask(path, query=None, body=None):
            self.asked.append((path, query, body))
            given = {**(query or {}), **(body or {})}
            return pages[path, given.get("page_token", ""), given.get("metric_key", "")]
        return ask

    def test_mlflow_server(self):
        def metric(step, value, stamp):
            return {"key": "train/loss", "step": str(step), "value": value, "timestamp": str(stamp)}
        run = {"info": {"run_id": "a", "run_name": "one", "start_time": "1700000000000"},
               "data": {"params": [{"key": "lr", "value": "0.1"}], "metrics": [{"key": "train/loss", "value": 1}]}}
        ask = self.server({
            ("experiments/search", "", ""): {"experiments": [{"experiment_id": "0"}], "next_page_token": "e"},
            ("experiments/search", "e", ""): {"experiments": []},
            ("runs/search", "", ""): {"runs": [run], "next_page_token": "r"},
            ("runs/search", "r", ""): {"runs": [{"info": {}}, "no run"], "next_page_token": "r"},  # a server that repeats itself
            ("metrics/get-history", "", "train/loss"): {"metrics": [metric(1, 3.0, 3), metric(2, "NaN", 4)], "next_page_token": "m"},
            ("metrics/get-history", "m", "train/loss"): {"metrics": [metric(1, 4.0, 1), metric(3, "Infinity", 5)]}})
        table, = slipway_exports.read_mlflow_server("http://host:5000", slipway_import, ask)
        self.assertEqual((table.name, table.started, table.config), ("one", 1700000000000, {"lr": 0.1}))
        slipway_import.write(table, self.home)
        self.assertEqual([(s["step"], s["values"]) for s in self.steps()],  # the newest value of a step counts
                         [(1, {"loss": 3.0}), (2, {"loss": "nan"}), (3, {"loss": "inf"})])
        # The address of an experiment asks for that one alone.
        slipway_exports.read_mlflow_server("http://host:5000/#/experiments/0?searchFilter=", slipway_import, ask)
        self.assertNotIn("experiments/search", [path for path, _, _ in self.asked[-5:]])
        with self.assertRaisesRegex(slipway.Error, "no active run"):
            slipway_exports.read_mlflow_server("http://host:5000/#/experiments/0/runs/other", slipway_import, ask)

    def test_credentials_stay_here(self):
        os.environ["MLFLOW_TRACKING_TOKEN"] = "hush"
        with self.assertRaisesRegex(slipway.Error, "only sent over https"):
            slipway_exports.server_of("http://example.org:5000")
        for address in ("https://example.org", "http://localhost:5000"):
            slipway_exports.server_of(address)

    def text_file(self, name, text):
        path = os.path.join(self.home, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def test_wandb_rows(self):
        rows = [{"_step": 5, "_timestamp": 1700000000.5, "train/loss": 2.5, "a": {"b": 1}, "name": "text"}, {"_step": 6, "train/loss": "NaN"}]
        for name, text in (("rows.json", json.dumps(rows)), ("rows.jsonl", "\n".join(map(json.dumps, rows)) + '\n{"_step": 7, "tr')):
            code, out, errors = self.imported(self.text_file(name, text))
            self.assertEqual((code, out.split("  ")[1]), (0, "rows, 2 steps\n"), errors)
        for run in range(2):
            self.assertEqual([(s["step"], s["values"]) for s in self.steps(run=run)],
                             [(5, {"loss": 2.5, "a/b": 1.0}), (6, {"loss": "nan"})])
            self.assertEqual(self.steps(run=run)[0]["time_unix_ms"], 1700000000500)

    def test_wandb_runs(self):
        run = {"display_name": "swift-sun-1", "id": "x", "config": {"lr": {"value": 0.1, "desc": None}, "_wandb": {}, "num_layers": 4},
               "history": [{"_step": 0, "loss": 1}, 7]}
        code, out, errors = self.imported(self.text_file("runs.json", json.dumps([run, {**run, "display_name": "two"}])))
        self.assertEqual((code, [line.split("  ")[1] for line in out.splitlines()]), (0, ["swift-sun-1, 1 steps", "two, 1 steps"]), errors)
        self.assertIn("values left out of two", errors)
        config = json.loads(self.text("config.json"))
        self.assertEqual((config["optimizer"], config["model"]), ({"lr": 0.1}, {"num_layers": 4}))

    def test_wandb_chart(self):
        path = self.text_file("chart.csv", '"Step","a - b - loss","a - b - loss__MIN","a - b - loss__MAX","two - loss","two - loss__MIN"\n'
                                           '1,"3","2","4","",""\n2,NaN,,,5,5\n')
        code, out, errors = self.imported(path)
        self.assertEqual((code, sorted(line.split("  ")[1] for line in out.splitlines())), (0, ["a - b, 2 steps", "two, 1 steps"]), errors)
        steps = {len(self.steps(run=i)): self.steps(run=i) for i in range(2)}
        self.assertEqual([s["values"] for s in steps[2]], [{"loss": 3.0}, {"loss": "nan"}])
        self.assertEqual([(s["step"], s["values"]) for s in steps[1]], [(2, {"loss": 5.0})])

    def test_bad_exports(self):
        for name, text, why in (("a.json", "[1, 2]", "no figures by step"), ("b.json", "{\"x\": 1}", "no list of rows"),
                                ("c.json", "{broken\n{}\n", "neither JSON"), ("d.json", "[" * 100000, "too deeply|neither JSON"),
                                ("e.csv", "Step,a - loss,a - loss__MIN\nx,1,1\n", "line 2")):
            code, _, errors = self.imported(self.text_file(name, text))
            self.assertEqual(code, 2, name)
            self.assertRegex(errors, why)

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
        for source, why in ((other, "neither MLflow nor Trackio"), (text, "try slipway import"), (aim, "pip install aim" if not _has_aim() else "cannot be read by the package aim"),
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


def _has_aim():
    try:
        import aim  # noqa: F401
    except ImportError:
        return False
    return True


if __name__ == "__main__":
    main()
