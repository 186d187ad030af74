"""What the tests of the Python module share: a home of their own, programs that log, and `slipway` to look at their runs."""
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MODULE = os.path.join(ROOT, "packaging", "python")
PROGRAM = os.environ.get("SLIPWAY_PROGRAM", "")
sys.path.insert(0, MODULE)
sys.dont_write_bytecode = True
RANKS = ("RANK", "LOCAL_RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT", "TORCHELASTIC_RUN_ID", "SLIPWAY_RUN")


class HomeTest(unittest.TestCase):
    def setUp(self):
        self.home = tempfile.mkdtemp(prefix="slipway-python-")
        self.addCleanup(shutil.rmtree, self.home, True)
        self.children = []
        self.addCleanup(self.end_children)
        saved = dict(os.environ)
        self.addCleanup(lambda: (os.environ.clear(), os.environ.update(saved)))
        for key in RANKS:
            os.environ.pop(key, None)
        os.environ["SLIPWAY_HOME"] = self.home

    def end_children(self):
        for child in self.children:
            if child.poll() is None:
                child.kill()
            child.communicate()

    def python(self, source, **environment):
        """A program that has imported slipway, and can `wait()` for a line of ours."""
        source = "import os, sys, slipway\ndef wait():\n    print('ready', flush=True)\n    sys.stdin.readline()\n" + source
        child = subprocess.Popen([sys.executable, "-c", source], env=dict(os.environ, PYTHONPATH=MODULE, PYTHONDONTWRITEBYTECODE="1",
                                 **environment), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.children.append(child)
        return child

    def runs_to_end(self, source, **environment):
        child = self.python(source, **environment)
        out, errors = child.communicate(timeout=60)
        return child.returncode, out, errors

    def slipway(self, *arguments):
        done = subprocess.run([PROGRAM, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def runs(self):
        return json.loads(self.slipway("runs", "--json"))

    def only_run(self):
        runs = self.runs()
        self.assertEqual(len(runs), 1, runs)
        return runs[0]

    def folders(self):
        return sorted(name for name in os.listdir(os.path.join(self.home, "runs")) if not name.startswith("."))

    def path(self, *parts, run=0):
        return os.path.join(self.home, "runs", self.folders()[run], *parts)

    def text(self, *parts, run=0):
        with open(self.path(*parts, run=run), encoding="utf-8") as file:
            return file.read()

    def lines(self, *parts, run=0):
        return [json.loads(line) for line in self.text(*(parts or ("metrics.jsonl",)), run=run).splitlines()]

    def steps(self, run=0):
        return [line for line in self.lines(run=run) if line["kind"] == "step"]

    def wait_until(self, condition, what, seconds=20):
        end = time.monotonic() + seconds
        while not condition():
            self.assertLess(time.monotonic(), end, f"waited {seconds} s for {what}")
            time.sleep(0.01)


class _Counted(unittest.TextTestResult):
    """Says what was skipped as Qt Test does, for packaging/setup/count_cases.sh."""

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        print(f"SKIP   : {type(test).__name__}::{test.id().rpartition('.')[2]}() {reason}", flush=True)


def main():
    """The tests of the calling file, with the totals that ./test adds up."""
    program = unittest.main(module="__main__", exit=False, testRunner=unittest.TextTestRunner(resultclass=_Counted))
    result = program.result
    failed, skipped = len(result.failures) + len(result.errors), len(result.skipped)
    print(f"Totals: {result.testsRun - failed - skipped} passed, {failed} failed, {skipped} skipped")
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    print(f"CPU    : {sum(u.ru_utime + u.ru_stime for u in used):.1f} s")
    sys.exit(not result.wasSuccessful())
