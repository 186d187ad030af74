"""Programs that log, seen by `slipway`: live, killed, in several ranks, beside each other."""
import http.server
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
import unittest

from support import MODULE, PROGRAM, ROOT, HomeTest, main

import slipway


@unittest.skipUnless(os.access(PROGRAM, os.X_OK), "SLIPWAY_PROGRAM does not name the program slipway")
class Runs(HomeTest):
    def ready(self, child):
        self.assertEqual(child.stdout.readline(), "ready\n", "the program did not come so far")

    def step_on(self, child):
        child.stdin.write("\n")
        child.stdin.flush()

    def launch(self, source, *options):
        """`slipway launch -- python3 PROGRAM`, which has the module, as a child."""
        path = os.path.join(self.home, "train.py")
        with open(path, "w", encoding="utf-8") as file:
            file.write("import os, sys, time, slipway\n" + source)
        words = [PROGRAM, "launch", *options, "--", sys.executable, path]
        child = subprocess.Popen(words, env=dict(os.environ, PYTHONPATH=MODULE, PYTHONDONTWRITEBYTECODE="1"),
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.children.append(child)
        return child

    def test_a_launched_program_records_into_its_run(self):
        child = self.launch("""
print('step 1: loss=99')  # printed, not recorded
run = slipway.init(name='own name', config={'lr': 0.5, 'num_steps': 7})
for step in (1, 2):
    run.log({'loss': step / 2}, step=step)
other = slipway.init(name='second')
other.log({'loss': 3.0})
sys.exit(4)
""", "--name", "launched")
        out, errors = child.communicate(timeout=60)
        self.assertEqual(child.returncode, 4, out + errors)
        runs = {run["name"]: run for run in self.runs()}
        self.assertEqual(sorted(runs), ["launched", "second"])
        run = runs["launched"]
        self.assertEqual((run["status"], run["last_step"], run["num_steps"], run["measured"]["final_loss"]), ("failed", 2, 7, 1.0))
        self.assertEqual(self.slipway("logs", "launched"), "step 1: loss=99\n")
        folder = os.path.join(self.home, "runs", run["run_id"])
        with open(os.path.join(folder, "config.json"), encoding="utf-8") as file:
            self.assertEqual(json.load(file)["optimizer"], {"lr": 0.5})
        with open(os.path.join(folder, "environment.json"), encoding="utf-8") as file:
            kept = json.load(file)
        self.assertEqual(kept["config"], {"lr": 0.5, "num_steps": 7})
        self.assertEqual(kept["arguments"][1:], [os.path.join(self.home, "train.py")])

    def test_a_launched_program_is_stopped_and_resumed(self):
        child = self.launch("""
run = slipway.init()
begin = 1 if os.environ['SLIPWAY_ATTEMPT'] == '1' else 3
for step in range(begin, 1000):
    run.log({'loss': 1.0 / step}, step=step)
    if run.stop_requested or (begin == 3 and step == 5):
        break
    time.sleep(0.02)
""", "--name", "stopped")
        self.wait_until(lambda: any(run["last_step"] >= 4 for run in self.runs()), "four steps")
        self.slipway("stop", "stopped")
        child.communicate(timeout=60)
        self.assertEqual(self.only_run()["status"], "cancelled")
        self.slipway("resume", "stopped")
        run = self.only_run()
        self.assertEqual((run["status"], run["last_step"], run["attempts"]), ("completed", 5, 2))
        headers = [line for line in self.lines() if line["kind"] == "header"]
        self.assertEqual([(h["attempt"], h["resume_step"]) for h in headers], [(1, 0), (2, 2)])

    def test_a_launched_program_tells_why_it_failed(self):
        child = self.launch("slipway.init()\nraise ValueError('no such column')\n")
        child.communicate(timeout=60)
        self.assertEqual(child.returncode, 1)
        run = self.only_run()
        self.assertEqual((run["name"], run["status"]), ("train", "failed"))
        self.assertIn("no such column", run["reason"])

    def test_is_seen_live_and_to_its_end(self):
        child = self.python("""
with slipway.init(name='live', project='mine', tags=['a'], notes='of today', config={'num_steps': 9}) as run:
    run.log({'loss': 2.5}, step=1)
    wait()
    run.log({'loss': 1.5}, step=2)
    run.event('rewind', 'to 1')
    wait()
""")
        self.ready(child)
        run = self.only_run()
        self.assertEqual((run["name"], run["status"], run["last_step"], run["num_steps"], run["tags"]), ("live", "running", 1, 9, ["a", "mine"]))
        self.step_on(child)
        self.ready(child)
        self.assertEqual(self.only_run()["last_step"], 2)
        shown = self.slipway("show", "live")
        self.assertIn("of today", shown)
        self.assertIn("rewind: to 1", shown)
        self.assertEqual(self.slipway("logs", "live"), "ready\nready\n")
        child.communicate("\n", timeout=20)
        run = self.only_run()
        self.assertEqual((run["status"], run["reason"], run["measured"]["final_loss"]), ("completed", None, 1.5))

    def test_what_is_not_said_is_not_invented(self):
        self.runs_to_end("slipway.init()\nfor _ in range(20): slipway.log({'loss': 1.0, 'step_seconds': 0.5})")
        run = self.only_run()
        known = {key for key, value in run["measured"].items() if value is not None}
        self.assertEqual(known, {"step_seconds", "final_loss", "min_loss", "perplexity", "num_steps", "warmup_steps"})
        self.assertIsNone(run["num_steps"])
        shown = self.slipway("show", run["run_id"])
        self.assertRegex(shown, r"Progress +step 20, attempt 1")

    def test_killed_in_the_middle_is_lost_and_whole(self):
        child = self.python("""
import time
run = slipway.init(name='killed')
wait()
for i in range(10000):
    run.log({'loss': 1.0 + i, 'grad_norm': 0.5}, step=i)
    if i % 100 == 0: time.sleep(0.01)  # a second in all, so that the end comes in the middle
wait()
""")
        self.ready(child)
        size = os.path.getsize(self.path("metrics.jsonl"))
        child.stdin.write("\n")
        child.stdin.flush()
        self.wait_until(lambda: os.path.getsize(self.path("metrics.jsonl")) > size + 100000, "lines")
        child.kill()
        child.wait(20)
        steps = self.steps()  # each line is whole
        self.assertLess(len(steps), 10000, "it was killed too late for this test")
        self.assertEqual([line["step"] for line in steps], list(range(len(steps))))
        run = self.only_run()
        self.assertEqual((run["status"], run["last_step"]), ("lost", steps[-1]["step"]))
        self.assertIn("the program ended without a record", run["reason"])
        self.assertNotIn("resume", run["reason"])
        with open(self.path("metrics.jsonl"), "a", encoding="utf-8") as file:
            file.write('{"kind":"step","step":99999,"val')  # what a power failure may leave
        os.remove(os.path.join(self.home, "index.sqlite"))
        run = self.only_run()
        self.assertEqual((run["status"], run["last_step"], run["measured"]["final_loss"]), ("lost", steps[-1]["step"], float(len(steps))))

    def test_an_exception_is_the_reason(self):
        code, _, errors = self.runs_to_end("slipway.init(name='f')\nslipway.log({'loss': 1.0})\nraise ValueError('no data in /c4')")
        self.assertEqual(code, 1)
        self.assertIn("ValueError: no data in /c4", errors)
        run = self.only_run()
        self.assertEqual((run["status"], run["reason"]), ("failed", "Rank 0 after step 1: an uncaught exception ended the program; fix the cause in "
                                                                    "its message, then resume. From the log: ValueError: no data in /c4"))

    def test_an_exception_in_a_with_block_is_in_the_log(self):
        self.runs_to_end("with slipway.init(name='f') as run:\n    run.log({'loss': 1.0})\n    raise ValueError('no data in /c4')")
        self.assertIn("ValueError: no data in /c4", self.slipway("logs", "f"))
        self.assertIn("an uncaught exception ended the program", self.only_run()["reason"])

    def test_only_what_was_recorded_is_shown(self):
        self.runs_to_end("run = slipway.init(name='f', config={'lr': 3e-4})\nfor i in (1, 2, 3):\n"
                         "    run.log({'loss': 1.0, 'step_seconds': 0.1}, tokens=i * 1000)")
        shown = self.slipway("show", "f")
        self.assertIn("Tokens/s", shown)
        self.assertNotIn("Samples/s", shown)  # the length of a sequence is not known
        self.assertRegex(shown, r"optimizer\.lr +0\.0003")  # also what equals a default

    def test_the_end_of_the_program_ends_the_run(self):
        for source, status in (("", "completed"), ("sys.exit(0)", "completed"), ("sys.exit(3)", "failed"), ("sys.exit('no')", "failed"),
                               ("raise KeyboardInterrupt", "cancelled"), ("os._exit(0)", "lost"),
                               ("os.fork() or sys.exit(3); os.wait(); slipway.log({'loss': 1.0})", "completed")):
            with self.subTest(source):
                self.runs_to_end("slipway.init()\nslipway.log({'loss': 1.0})\n" + source)
                self.assertEqual(self.runs()[0]["status"], status)

    def test_a_full_disk_does_not_stop_training(self):
        code, out, errors = self.runs_to_end("""
import resource
run = slipway.init()
run.log({'loss': 1.0})
room = os.path.getsize(os.path.join(run.folder, 'metrics.jsonl'))
resource.setrlimit(resource.RLIMIT_FSIZE, (room, resource.RLIM_INFINITY))
for i in range(100): print('x' * 999, flush=True)
for i in range(100): run.log({'loss': 2.0})
print('trained')
""")
        self.assertEqual((code, out[-8:]), (0, "trained\n"), errors)
        self.assertIn("Slipway cannot write the run: File too large. Training continues.", errors)
        self.assertIn("lines of the Slipway run", errors)
        run = self.only_run()
        self.assertEqual((run["last_step"], run["measured"]["final_loss"]), (1, 1.0))

    def test_a_forked_child_leaves_the_run_and_may_have_its_own(self):
        self.runs_to_end("""
slipway.init(name='parent')
if os.fork() == 0:
    slipway.init(name='child')
    slipway.log({'loss': 1.0})
    sys.exit(2)
os.wait()
slipway.log({'loss': 1.0})
""")
        self.assertEqual(sorted((run["name"], run["status"]) for run in self.runs()), [("child", "failed"), ("parent", "completed")])
        self.assertEqual([line["kind"] for line in self.lines(run=0)], ["header", "step", "end"])

    def test_out_of_memory_is_named(self):
        self.runs_to_end("slipway.init()\nclass OutOfMemoryError(RuntimeError): pass\nraise OutOfMemoryError('CUDA')")
        self.assertIn("out of memory", self.only_run()["reason"])

    def test_numbers_that_are_not_finite_are_stored(self):
        self.runs_to_end("slipway.init()\nslipway.log({'loss': 3.0})\nslipway.log({'loss': float('nan')})")
        run = self.only_run()
        self.assertEqual((run["measured"]["final_loss"], run["measured"]["min_loss"]), ("nan", 3.0))

    def test_another_rank_that_fails_fails_the_run(self):
        ranks = {"WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "29501"}
        first = self.python("run = slipway.init(name='both')\nrun.log({'loss': 1.0})\nwait()", RANK="0", **ranks)
        self.ready(first)
        _, _, errors = self.runs_to_end("run = slipway.init()\nrun.log({'loss': 1.0})\nraise ValueError('boom')", RANK="1", **ranks)
        self.assertIn("boom", errors)
        self.step_on(first)
        first.communicate(timeout=60)
        run = self.only_run()
        self.assertEqual(run["status"], "failed")
        self.assertRegex(run["reason"], "Rank 1 after step 1: .*ValueError: boom")

    def test_a_rank_that_failed_explains_why_the_others_were_killed(self):
        ranks = {"WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "29502"}
        first = self.python("run = slipway.init(name='both')\nrun.log({'loss': 1.0})\nwait()", RANK="0", **ranks)
        self.ready(first)
        self.runs_to_end("run = slipway.init()\nrun.log({'loss': 1.0})\nraise ValueError('boom')", RANK="1", **ranks)
        first.kill()  # as torchrun does
        first.communicate(timeout=60)
        run = self.only_run()
        self.assertEqual(run["status"], "failed")
        self.assertRegex(run["reason"], "Rank 1 after step 1: .*ValueError: boom")

    def test_every_rank_writes_into_one_run(self):
        # Left by an earlier start with the same address, whose rank 0 is gone.
        ranks = {"WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "29500"}
        self.runs_to_end("slipway.init(name='old'); os._exit(1)", RANK="0", **ranks)
        source = "run = slipway.init(name='both')\nrun.log({'loss': 1.0 + run.rank, 'step_seconds': 0.5}, step=3)\nprint('from', run.rank)\nwait()"
        second = self.python(source, RANK="1", **ranks)
        self.assertEqual(second.stdout.readline(), "from 1\n")
        time.sleep(0.3)  # it must not take the old run meanwhile
        first = self.python(source, RANK="0", **ranks)
        self.assertEqual(first.stdout.readline(), "from 0\n")
        path = ("ranks", "rank_00001.jsonl")
        self.wait_until(lambda: len(self.folders()) == 2 and os.path.exists(self.path(*path, run=1)) and self.text(*path, run=1), "rank 1")
        for child in (first, second):
            child.communicate("\n", timeout=20)
        self.assertFalse(os.path.exists(self.path(*path, run=0)))
        self.assertEqual([run["name"] + " " + run["status"] for run in self.runs()], ["both completed", "old lost"])
        self.assertEqual(self.steps(run=1)[0]["values"]["loss"], 1.0)
        health, end = self.lines(*path, run=1)
        self.assertEqual((health["kind"], health["step"], health["step_seconds"], health["values"]["loss"]), ("health", 3, 0.5, 2.0))
        self.assertEqual(end["kind"], "end")
        self.assertEqual(self.lines(run=1)[0]["world_size"], 2)
        self.assertEqual(self.slipway("logs", "both", "--rank", "1"), "from 1\nready\n")

    def test_programs_beside_each_other(self):
        children = [self.python(f"for i in range(5):\n    with slipway.init(name='{name}') as run: run.log({{'loss': 1.0}})") for name in "ab"]
        while any(child.poll() is None for child in children):
            for run in self.runs():
                self.assertIn(run["status"], ("running", "completed"), run)
        self.assertEqual(sorted((run["name"], run["status"], run["last_step"]) for run in self.runs()),
                         [("a", "completed", 1)] * 5 + [("b", "completed", 1)] * 5)
        self.assertEqual([name for name in os.listdir(os.path.join(self.home, "runs")) if name.startswith(".")], [])

    def test_stop_cancels_and_kill_ends(self):
        child = self.python("import time\nrun = slipway.init(name='s')\nrun.log({'loss': 1.0})\nprint('ready', flush=True)\n"
                            "while not run.stop_requested: time.sleep(0.01)")
        self.ready(child)
        self.slipway("stop", "s")
        self.assertEqual(child.wait(20), 0)
        self.assertEqual((self.only_run()["status"], self.only_run()["reason"]), ("cancelled", "Stopped on request after step 1."))
        child = self.python("run = slipway.init(name='k')\nwait()")
        self.ready(child)
        self.slipway("stop", "--kill", "k")
        self.assertEqual(child.wait(20), -signal.SIGKILL)
        self.assertEqual(self.runs()[0]["status"], "cancelled")

    def test_resume_does_not_start_a_trainer_in_the_folder(self):
        self.runs_to_end("slipway.init(name='mine')\nraise ValueError")
        self.only_run()
        before = self.text("metrics.jsonl")
        done = subprocess.run([PROGRAM, "resume", "mine"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertEqual(self.text("metrics.jsonl"), before)

    def test_fields_have_the_ranges_of_the_field_table(self):
        table = {field["path"]: field for field in json.loads(self.slipway("fields", "--json"))}
        for path, (least, most, *_) in slipway.FIELDS.items():
            field = table[path]
            self.assertEqual((field["kind"], field["minimum"], field["applies_when"]),
                             ("number" if isinstance(least, float) else "integer", least, ""), path)
            self.assertEqual(field["maximum"], most, path)

    def test_installs_with_pip(self):
        if subprocess.run([sys.executable, "-m", "pip", "--version"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False).returncode:
            self.skipTest("pip is not installed")
        source, target = os.path.join(self.home, "source"), os.path.join(self.home, "installed")
        shutil.copytree(os.path.join(ROOT, "packaging", "python"), source)
        done = subprocess.run([sys.executable, "-m", "pip", "install", "--no-index", "--no-build-isolation", "--no-deps", "--target", target, source],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        if done.returncode and re.search(r"BackendUnavailable|No module named|invalid command 'bdist_wheel'", done.stdout):
            self.skipTest("this Python has no setuptools with wheel (Debian: python3-wheel)")
        self.assertEqual(done.returncode, 0, done.stdout)
        version = subprocess.run([sys.executable, "-c", "import slipway; print(slipway.__file__, slipway.__version__)"], cwd=self.home,
                                 env=dict(os.environ, PYTHONPATH=target), stdout=subprocess.PIPE, text=True, check=True)
        self.assertEqual(version.stdout.split(), [os.path.join(target, "slipway.py"), slipway.__version__])


class Server(HomeTest):
    """A server of MLflow on this computer."""

    def serve(self, answers):
        seen = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                seen.append((self.path, self.headers.get("Authorization"), body))
                code, headers, text = answers(self.path)
                self.send_response(code)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(text.encode())

            do_POST = do_GET

            def log_message(self, *arguments):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        return f"http://127.0.0.1:{server.server_port}", seen

    def imported(self, address):
        done = subprocess.run([sys.executable, "-m", "slipway_import", address], env=dict(os.environ, PYTHONPATH=MODULE), timeout=60,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
        return done.returncode, done.stdout, done.stderr

    def test_runs_of_a_server(self):
        documents = {"experiments/search": {"experiments": [{"experiment_id": "7"}]},
                     "runs/search": {"runs": [{"info": {"run_id": "r", "run_name": "far"}, "data": {"metrics": [{"key": "loss"}]}}]},
                     "metrics/get-history": {"metrics": [{"key": "loss", "value": 2.5, "step": 1, "timestamp": 9}]}}

        def answers(path):
            return 200, {}, json.dumps(documents[path.partition("/api/2.0/mlflow/")[2].partition("?")[0]])
        address, seen = self.serve(answers)
        os.environ["MLFLOW_TRACKING_USERNAME"], os.environ["MLFLOW_TRACKING_PASSWORD"] = "me", "hush"
        code, out, errors = self.imported(address + "/")
        self.assertEqual((code, out.split("  ")[1:]), (0, ["far, 1 steps\n"]), errors)
        self.assertEqual({word for _, word, _ in seen}, {"Basic bWU6aHVzaA=="})
        self.assertEqual(seen[2][0], "/api/2.0/mlflow/metrics/get-history?run_id=r&metric_key=loss&max_results=25000")
        self.assertNotIn("hush", self.text("environment.json") + self.text("meta.json"))

    def test_what_a_server_refuses(self):
        elsewhere, stolen = self.serve(lambda path: (200, {}, "{}"))
        for answer, why in (((302, {"Location": elsewhere}, ""), "answered 302"), ((401, {}, "no"), "MLFLOW_TRACKING_TOKEN"),
                            ((200, {}, "<html>"), "not a server of MLflow"), ((200, {}, "{}"), "no active run")):
            address, _ = self.serve(lambda path, answer=answer: answer)
            code, _, errors = self.imported(address)
            self.assertEqual(code, 2)
            self.assertIn(why, errors)
        self.assertEqual(stolen, [])
        code, _, errors = self.imported("http://127.0.0.1:1")
        self.assertEqual(code, 2)
        self.assertIn("cannot be reached", errors)


if __name__ == "__main__":
    main()
