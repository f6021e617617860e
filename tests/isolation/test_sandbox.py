"""The sandbox: what a process in it is refused, what it still does, and what runs in one."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

import sqljury as sj
from sqljury.case import Case
from sqljury.doctor import sandbox_checks
from sqljury.isolation import missing, own_uid, sandbox, without_secrets
from sqljury.judges import make_judge
from sqljury.llm import ClientSettings
from sqljury.runs import RunSettings
from sqljury.runs.settings import confinement
from sqljury.settings import Sources

pytestmark = pytest.mark.skipif(bool(missing()), reason="this kernel has no Landlock or seccomp")

PROGRAM = """
import ctypes, fcntl, os, resource, socket, subprocess, sys, termios, threading
from sqljury.isolation.sandbox import Sandbox
reads, writes, network, attempt = sys.argv[1:5]
Sandbox(reads=(reads,), writes=(writes,), network=network == "yes").enter()
libc = ctypes.CDLL(None, use_errno=True)
def call(*arguments):
    if libc.syscall(*arguments) < 0:
        raise OSError(ctypes.get_errno(), "no")
try:
    exec(attempt)
    print("done")
except OSError as error:
    print(type(error).__name__)
"""


def attempt(code: str, tmp_path: Path, network: bool = False) -> str:
    """What becomes of some code in a sandbox that may read ``given`` and write ``scratch``."""
    for name in ("given", "scratch", "other"):
        (tmp_path / name).mkdir(exist_ok=True)
        (tmp_path / name / "file").write_text("text")
    code = code.replace("ROOT", str(tmp_path))
    paths = str(tmp_path / "given"), str(tmp_path / "scratch")
    command = [sys.executable, "-c", PROGRAM, *paths, "yes" if network else "no", code]
    done = subprocess.run(command, capture_output=True, text=True)
    return done.stdout.strip() or done.stderr


REFUSED = {
    "read": "open('ROOT/other/file')",
    "list": "os.listdir('ROOT/other')",
    "read passwords": "open('/etc/passwd')",
    "read what the parent was told": "open(f'/proc/{os.getppid()}/environ').read()",
    "write what may be read": "open('ROOT/given/file', 'w')",
    "write elsewhere": "open('ROOT/new', 'w')",
    "cut": "os.truncate('ROOT/given/file', 0)",
    "remove": "os.remove('ROOT/given/file')",
    "rename": "os.rename('ROOT/given/file', 'ROOT/given/other')",
    "move out": "os.rename('ROOT/scratch/file', 'ROOT/other/new')",
    "link": "os.link('ROOT/other/file', 'ROOT/scratch/link')",
    "change the mode": "os.chmod('ROOT/given/file', 0o777)",
    "change the time": "os.utime('ROOT/given/file')",
    "connect": "socket.socket()",
    "a pair of sockets": "socket.socketpair()",
    "io_uring": "call(425, 1, 0)",
    "run a program": "subprocess.run(['/bin/true'])",
    "fork": "os.fork()",
    "signal the parent": "os.kill(os.getppid(), 0)",
    "signal all": "os.kill(-1, 0)",
    "trace the parent": "libc.ptrace(16, os.getppid(), 0, 0) and call(101, 16, os.getppid(), 0, 0)",
    "limits of the parent": "resource.prlimit(os.getppid(), resource.RLIMIT_NOFILE)",
    "type into the terminal": "fcntl.ioctl(0, termios.TIOCSTI, b'x')",
    "shared memory of System V": "call(29, 0x51, 4096, 0o1600)",
    "messages of System V": "call(68, 0x51, 0o1600)",
    "processors of the parent": "os.sched_setaffinity(os.getppid(), os.sched_getaffinity(0))",
    "priority of the parent": "os.setpriority(os.PRIO_PROCESS, os.getppid(), 1)",
    "a new namespace": "call(272, 0x10000000)",
    "in a thread": "e = []\ndef f():\n  try: open('ROOT/other/file')\n  except OSError as x: e.append(x)\n"
    "t = threading.Thread(target=f); t.start(); t.join(); raise e[0]",
}
ALLOWED = {
    "read": "open('ROOT/given/file').read()",
    "write the scratch": "open('ROOT/scratch/new', 'w').write('x'); os.remove('ROOT/scratch/new')",
    "import what is heavy": "import numpy, scipy.stats, sqlglot; numpy.ones((9, 9)) @ numpy.ones(9)",
    "threads": "t = threading.Thread(target=print); t.start(); t.join()",
    "its own processors": "os.sched_setaffinity(0, os.sched_getaffinity(0))",
    "no right of root but to open files": "of = open('/proc/self/status').read().split('CapEff:')[1]\n"
    "assert int(of.split()[0], 16) in (0, 6), of",
    "signal itself": "os.kill(os.getpid(), 0)",
    "nothing": "open(os.devnull, 'w').write('x')",
    "random numbers": "os.urandom(8); open('/dev/urandom', 'rb').read(1)",
}


@pytest.mark.parametrize("name", REFUSED)
@pytest.mark.skipif(os.uname().machine != "x86_64", reason="numbers of system calls")
def test_refused(name: str, tmp_path: Path) -> None:
    assert attempt(REFUSED[name], tmp_path) in ("PermissionError", "OSError")


@pytest.mark.parametrize("name", ALLOWED)
def test_allowed(name: str, tmp_path: Path) -> None:
    assert attempt(ALLOWED[name], tmp_path).endswith("done")


def test_network_where_there_are_servers(tmp_path: Path) -> None:
    assert attempt("socket.socket().close()", tmp_path, network=True) == "done"
    assert attempt("os.fork()", tmp_path, network=True) == "PermissionError"


def test_no_key_and_no_password_is_handed_on() -> None:
    given = {
        "OPENAI_API_KEY": "k",
        "PGPASSWORD": "p",
        "HOME": "/h",
        "LC_ALL": "C",
        "AWS_TOKEN": "t",
    }
    assert without_secrets(given) == {"HOME": "/h", "LC_ALL": "C"}
    assert without_secrets(given, "PG") == {"PGPASSWORD": "p", "HOME": "/h", "LC_ALL": "C"}


@pytest.fixture
def databases(tmp_path: Path) -> Path:
    folder = tmp_path / "databases"
    folder.mkdir()
    connection = sqlite3.connect(folder / "shop.sqlite")
    connection.executescript("CREATE TABLE t (a INT); INSERT INTO t VALUES (1), (2)")
    connection.close()
    return folder


def _scores(
    databases: Path | str, run: Path, judge: str = "execution", db_id: str = "shop", **rest
):
    case = Case(
        id="1", db_id=db_id, predicted_sql="SELECT a FROM t", reference_sqls=("SELECT a FROM t",)
    )
    with sj.evaluate([case], [judge], databases, run=run, workers=1, **rest) as found:
        (record,) = found.records()
    return record.verdict.outcome.value


@pytest.mark.parametrize(
    ("judge", "confined", "network"),
    [
        ("execution", True, False),
        ("equivalence", True, False),
        ("verifier", True, False),
        ("rose,model=openai:o3-2025-04-16", True, True),
        ("rose,model=scripted:mine:answers", False, True),
        ("graph_match", False, True),
    ],
)
def test_how_much_each_kind_of_judge_is_left(
    judge: str, confined: bool, network: bool, databases: Path, tmp_path: Path
) -> None:
    options = RunSettings(
        sources=Sources(databases=str(databases)), llm=ClientSettings(ledger=str(tmp_path / "l"))
    )
    found = confinement([make_judge(judge)], options)
    assert (found.sandbox is not None) == confined
    if found.sandbox is not None:
        assert found.sandbox.network == network


def test_servers_are_reached_and_nothing_else_is_read(tmp_path: Path) -> None:
    options = RunSettings(
        sources=Sources(databases="postgresql://localhost/{db_id}?sslrootcert=/certificates/ca.pem")
    )
    found = confinement([make_judge("execution")], options)
    assert found.sandbox is not None
    assert found.sandbox.network
    assert "/certificates/ca.pem" in (found.sandbox.reads or ())
    assert "/etc" not in (found.sandbox.reads or ())


def test_workers_are_confined(
    databases: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "a key")
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"
    lines = f'{{"id": "1", "db_id": "shop", "predicted_sql": "{endless}", "reference_sql": "SELECT 2"}}\n'
    (tmp_path / "cases.jsonl").write_text(lines)
    command = [sys.executable, "-m", "sqljury.cli", "evaluate", "cases.jsonl", "-d", "databases"]
    with subprocess.Popen(
        [*command, "--limit-seconds", "5", "--workers", "1", "--run", "run"],
        cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    ) as process:  # fmt: skip
        worker = _child_in_sandbox(process.pid)
        variables = Path(f"/proc/{worker}/environ").read_bytes()
        process.terminate()
    assert b"a key" not in variables
    assert b"PATH=" in variables


def _child_in_sandbox(pid: int) -> int:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
            with suppress(FileNotFoundError):  # it ended meanwhile
                if "Seccomp:\t2" in Path(f"/proc/{child}/status").read_text():
                    return int(child)
        time.sleep(0.05)
    raise AssertionError("no worker is confined")


def test_databases_behind_links_are_read(databases: Path, tmp_path: Path) -> None:
    links = tmp_path / "links"
    (links / "shop").mkdir(parents=True)
    (links / "shop" / "shop.sqlite").symlink_to(databases / "shop.sqlite")
    assert _scores(links, tmp_path / "run") == "correct"


def test_a_write_ahead_log_is_merged_into_a_copy(databases: Path, tmp_path: Path) -> None:
    writer = sqlite3.connect(databases / "shop.sqlite")
    writer.execute("PRAGMA journal_mode = WAL")
    with writer:
        writer.execute("INSERT INTO t VALUES (3)")
    assert (databases / "shop.sqlite-wal").stat().st_size
    copied = tmp_path / "copied"
    shutil.copytree(databases, copied)
    writer.close()
    assert _scores(copied, tmp_path / "run") == "correct"


def test_suites_in_archives_are_read(databases: Path, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "suites").mkdir()
    shutil.make_archive(str(tmp_path / "suites" / "shop"), "gztar", databases)
    run = tmp_path / "run"
    assert _scores(databases, run, "test_suite", suites=tmp_path / "suites") == "correct"


def test_duckdb(tmp_path: Path) -> None:
    duckdb = pytest.importorskip("duckdb")
    (tmp_path / "db").mkdir()
    with duckdb.connect(str(tmp_path / "db" / "shop.duckdb")) as connection:
        connection.execute("CREATE TABLE t AS SELECT 1 AS a")
    assert _scores(tmp_path / "db", tmp_path / "run") == "correct"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root becomes another user")
def test_root_s_workers_are_nobody_where_nobody_may_read(tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o755)
    (closed / "shop.sqlite").touch(mode=0o600)
    assert not sandbox._readable_by_others(closed / "shop.sqlite", {})
    uid, why = own_uid([str(closed)])
    assert uid is None
    assert "no other user may read" in why


@pytest.mark.skipif(os.geteuid() != 0, reason="only root becomes another user")
@pytest.mark.skipif(not Path("/usr/bin/python3").exists(), reason="an interpreter for all users")
def test_another_user() -> None:
    """The interpreter of the tests may lie where only root reads: the system's is for everyone."""
    files = str(Path(sandbox.__file__).parents[2])
    program = (
        f"import sys; sys.path.append({files!r}); import os, importlib.util as u\n"
        "from sqljury.isolation.sandbox import Sandbox\n"
        "Sandbox(reads=(), writes=(), uid=61200).enter()\n"
        "print(os.getresuid(), os.getgroups())\n"
    )
    done = subprocess.run(
        ["/usr/bin/python3", "-I", "-c", program], capture_output=True, text=True, cwd="/"
    )
    if "SyntaxError" in done.stderr or "ImportError" in done.stderr:
        pytest.skip("the system's interpreter is too old")
    assert done.stdout == "(61200, 61200, 61200) []\n", done.stderr


def test_doctor_tells() -> None:
    found = {check.name: check for check in sandbox_checks()}
    assert found["sandbox"].mark == "ok"
    assert "workers" in found["user"].detail
