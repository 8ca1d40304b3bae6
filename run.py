"""Builds, runs, tests and checks Tauscope with nothing but Python and pip.

    python3 run.py demo  [arguments]   make .venv, install, run `tauscope demo`
    python3 run.py test  [arguments]   make .venv, install, run all tests; then, in .venv-pure, where the package was
                                       installed without a compiler, those marked `both`. Arguments go to pytest, and
                                       then only the first of the two is run.
    python3 run.py docs                build the documentation and open it
    python3 run.py check               lint, types, documentation and its links
    python3 run.py size                count code, modules, names, commands and options beside their budgets
    python3 run.py record [pages]      rewrite the output blocks of the documentation, so that the diff can be read
    python3 run.py package             build source and wheels into dist, check them, and run the cases and laws against
                                       each wheel, installed into a new environment without compiler and source tree
    python3 run.py sanitize [seconds]  build the kernels with address and undefined-behaviour sanitizers (in build/),
                                       run their twins with them, and fuzz arrays for so many seconds (60)
    python3 run.py clean               remove the environments, build folders and caches

pip uses its own configuration. It only runs again when what decides the installation has changed.
"""

import sys

if sys.version_info < (3, 11):  # noqa: UP036
    sys.exit(f"run.py: Tauscope needs Python 3.11 or later; this is {sys.version.split()[0]}. Try python3.11 run.py")

import compileall
import hashlib
import importlib.util
import json
import os
import shutil
import subprocess
import sysconfig
import tempfile
import time
import tomllib
import webbrowser
from collections.abc import Iterable
from pathlib import Path
from typing import IO, Any

ROOT = Path(__file__).resolve().parent
VENV, PURE = ROOT / ".venv", ROOT / ".venv-pure"
STAMP, MARK, LOG = "tauscope.json", "tauscope-installing", "tauscope-pip.log"
BUILD_FILES = ("pyproject.toml", "CMakeLists.txt", "run.py", "cpp/*")
BUILD_VARIABLES = ("CXX", "CXXFLAGS", "TAUSCOPE_PURE")
MADE_HERE = (
    ".venv",
    ".venv-pure",
    "build",
    "dist",
    "docs/_build",
    "docs/reference/generated",
    ".pytest_cache",
    ".mypy_cache",
    ".ruff_cache",
    ".hypothesis",
)
LOCKS: dict[Path, IO[str]] = {}


class Stop(Exception):
    """What went wrong and the way out, for people: printed without a traceback."""


def main(arguments: list[str]) -> int:
    command, rest = (arguments[0], arguments[1:]) if arguments else ("", [])
    commands = {
        "demo": demo,
        "test": test,
        "docs": docs,
        "check": check,
        "size": size,
        "record": record,
        "package": package,
        "sanitize": sanitize,
        "clean": clean,
    }
    try:
        if command in ("-h", "--help", "help"):
            print(__doc__)
            return 0
        if command not in commands:
            raise Stop(f"{command!r} is not a command; there are {', '.join(commands)} (python3 run.py --help).")
        if rest and command in ("docs", "check", "size", "package", "clean"):
            raise Stop(f"{command} takes no arguments.")
        return commands[command](rest)
    except Stop as stop:
        print(f"run.py: {stop}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130


def demo(rest: list[str]) -> int:
    # Without arguments the same folder is written again, so that a second call works like the first.
    return run([prepare(set()), "-m", "tauscope", "demo", *(rest or ["--out", "demo", "--force"])])


def test(rest: list[str]) -> int:
    python = prepare({"test"})
    if read_stamp(VENV).get("kernels") == "broken":
        said = [line for line in read_log(VENV).splitlines() if "error:" in line]
        raise Stop("\n".join([f"there is a compiler, but the kernels did not compile; see {VENV / LOG}.", *said[:10]]))
    if rest:
        return run([python, "-m", "pytest", *rest])
    # Files of tests side by side, one file on one core: browsers and worker processes of a file do not meet twice.
    beside = ["-n", str(min(os.cpu_count() or 1, 8)), "--dist", "loadfile"]
    code = run([python, "-m", "pytest", *beside])
    say("the same cases and laws without compiled kernels")
    pure_code = run([prepare_pure(python), "-m", "pytest", "-m", "both", *beside])
    if pure_code == 5:  # pytest's code for "no tests"
        raise Stop("no test is marked `both`: nothing was run without compiled kernels.")
    return code or pure_code


def docs(_: list[str]) -> int:
    python, html = prepare({"check"}), ROOT / "docs" / "_build" / "html"
    code = run([python, "-m", "sphinx", "-q", "-b", "html", "docs", html])
    if not code:
        say(f"the documentation: {html / 'index.html'}")
        webbrowser.open((html / "index.html").as_uri())
    return code


def check(_: list[str]) -> int:
    python, html = prepare({"check"}), ROOT / "docs" / "_build" / "html"
    remove(html)  # a page that is gone must not answer for a link
    steps = {
        "lint": ["ruff", "check", "."],
        "format": ["ruff", "format", "--check", "."],
        "types": ["mypy"],
        "docs": ["sphinx", "-W", "--keep-going", "-q", "-E", "-b", "html", "docs", html],
    }
    failed = []
    for name, step in steps.items():
        say(name)
        if run([python, "-m", *step]):
            failed.append(name)
    say("links")
    if run([python, ROOT / "docs" / "links.py", html]):
        failed.append("links")
    say(f"check: {', '.join(failed)} failed" if failed else "check: all is well")
    return 1 if failed else 0


def size(_: list[str]) -> int:
    return run([prepare({"test"}), ROOT / "benchmarks" / "size.py"])


def record(pages: list[str]) -> int:
    return run([prepare({"test"}), ROOT / "docs" / "record.py", *pages])


def package(_: list[str]) -> int:
    """Builds what is published, and tries it as a stranger would."""
    python, dist = prepare({"package"}), ROOT / "dist"
    scripts = packages(VENV, "scripts")
    remove(dist)
    say("source and wheel")
    if run([python, "-m", "build", "--outdir", dist, "."]):
        raise Stop("the build failed; what it said is above.")
    say("the wheel without kernels")
    if run([python, "-m", "build", "--wheel", "--outdir", dist, "."], env=environment() | {"TAUSCOPE_PURE": "1"}):
        raise Stop("the build failed; what it said is above.")
    made = sorted(dist.iterdir())
    compiled = [path for path in made if "-cp" in path.name and "linux" in path.name]
    workflows = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
    steps: dict[str, list[str | Path]] = {
        "pyproject.toml": [scripts / "validate-pyproject", "pyproject.toml"],
        "metadata": [scripts / "twine", "check", "--strict", *made],
        "contents": [scripts / "check-wheel-contents", *(path for path in made if path.suffix == ".whl")],
        "repository": [scripts / "sp-repo-review", "."],
        "workflows": [scripts / "check-jsonschema", "--builtin-schema", "vendor.github-workflows", *workflows],
        "safety of workflows": [scripts / "zizmor", "--offline", "."],
    }
    steps |= {f"libraries of {path.name}": [scripts / "auditwheel", "show", path] for path in compiled}
    failed = []
    for name, step in steps.items():
        say(name)
        if run(step):
            failed.append(name)
    for wheel in (path for path in made if path.suffix == ".whl"):
        if try_wheel(wheel):
            failed.append(wheel.name)
    say(f"package: {', '.join(failed)} failed" if failed else "package: all is well; see dist")
    return 1 if failed else 0


def try_wheel(wheel: Path) -> int:
    """The cases and laws against a wheel in an environment of its own; how large and slow the installation is."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        subprocess.run([sys.executable, "-m", "venv", place / "venv"], check=True)
        python = interpreter(place / "venv")
        no_compiler = shutil.which("false") or "no-compiler"
        alone = environment() | {"CC": no_compiler, "CXX": no_compiler}
        before, started = size_of(packages(place / "venv")), time.monotonic()
        if run([python, "-m", "pip", "install", "--quiet", wheel], env=alone):
            return 1
        megabytes = (size_of(packages(place / "venv")) - before) / 1e6
        say(f"{wheel.name}: installed in {time.monotonic() - started:.0f} s, {megabytes:.0f} MB with what it needs")
        if run([python, "-m", "pip", "install", "--quiet", f"{wheel}[all]", *requirements({"test"})], env=alone):
            return 1
        shutil.copytree(ROOT / "tests", place / "tests")
        shutil.copy(ROOT / "pyproject.toml", place)  # the settings of pytest
        question = "import tauscope.core.kernels as k; print(k.__file__, k.implementation())"
        run([python, "-c", question], env=alone, cwd=place)
        folders = ["tests/papers", "tests/laws", "tests/twins"]
        return run(
            [python, "-m", "pytest", "-q", "-m", "both", "-p", "no:cacheprovider", *folders], env=alone, cwd=place
        )


def size_of(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def sanitize(rest: list[str]) -> int:
    """The kernels' twins and a fuzz of arrays, with kernels that notice every wrong access and undefined operation."""
    if sys.platform != "linux" or not shutil.which("g++"):
        raise Stop("sanitize needs Linux and g++.")
    seconds = float(rest[0]) if rest else 60.0
    python, build = prepare({"test", "sanitize"}), ROOT / "build" / "sanitize"
    flags = "-g -O1 -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=undefined"
    say("building the kernels with sanitizers")
    cmake: list[str | Path] = [python, "-m", "cmake"]
    configure = ["-S", ROOT, "-B", build, f"-DPython_EXECUTABLE={python}", "-DCMAKE_BUILD_TYPE=Debug"]
    if run([*cmake, *configure, f"-DCMAKE_CXX_FLAGS={flags}", "-DCMAKE_SHARED_LINKER_FLAGS="]):
        raise Stop("cmake could not configure the kernels.")
    if run([*cmake, "--build", build]):
        raise Stop("the kernels did not compile with sanitizers.")
    package, reports = build / "package", build / "reports"
    remove(package)
    remove(reports)
    reports.mkdir()
    shutil.copytree(ROOT / "src", package, ignore=shutil.ignore_patterns("_kernels.*", "__pycache__"))
    for kernels in build.glob("_kernels.*"):
        shutil.copy(kernels, package / "tauscope")
    runtimes = [
        subprocess.run(["g++", f"-print-file-name={name}"], capture_output=True, text=True).stdout.strip()
        for name in ("libasan.so", "libubsan.so", "libstdc++.so")
    ]
    # The base interpreter with two plain paths: it reads no .pth files, and with them not the editable install of
    # .venv, whose kernels would be found first.
    base: str = getattr(sys, "_base_executable", None) or sys.executable
    variables = {
        **environment(),
        "PYTHONPATH": os.pathsep.join([str(package), str(packages(VENV))]),
        "LD_PRELOAD": " ".join(runtimes),
        # Into files: pytest keeps what is written to its output, and a process that is ended does not show it. That
        # memory of one kind is given back as another is what pytrec_eval does, a peer of the tests; ours has vectors.
        "ASAN_OPTIONS": f"detect_leaks=0:alloc_dealloc_mismatch=0:log_path={reports / 'asan'}",
        "UBSAN_OPTIONS": f"print_stacktrace=1:log_path={reports / 'ubsan'}",
        "PYTHONMALLOC": "malloc",  # Python's own allocator would hide what is read past an array
    }
    answer = subprocess.run(
        [base, "-c", "import tauscope._kernels as k; print(k.__file__)"], capture_output=True, text=True, env=variables
    )
    found = Path(answer.stdout.strip())
    if package not in found.parents or b"__asan_" not in found.read_bytes():
        raise Stop(f"the kernels with sanitizers are not those that would be run: {found} {answer.stderr}")
    say("the twins of the kernels")
    twins = [
        "tests/twins/test_any_array.py",
        "tests/twins/test_blocks.py",
        "tests/twins/test_differences.py",
        "tests/twins/test_lines.py",
        "tests/twins/test_measures.py",
        "tests/twins/test_pair_tests.py",
        "tests/twins/test_permutations.py",
        "tests/twins/test_sizes.py",
        "tests/laws/test_naive.py",
    ]
    code = run([base, "-m", "pytest", "-q", "-p", "no:cacheprovider", *twins], env=variables)
    say(f"arrays for {seconds:g} s")
    code = run([base, "tests/fuzz/fuzz.py", "arrays", "--seconds", str(seconds)], env=variables) or code
    told = sorted(reports.iterdir())
    for report in told:
        print(report.read_text(encoding="utf-8", errors="replace"))
    say("sanitize: something was found" if code or told else "sanitize: silent")
    return code or int(bool(told))


def clean(_: list[str]) -> int:
    for path in [*(ROOT / name for name in MADE_HERE), *ROOT.glob("src/**/__pycache__")]:
        remove(path)
    return 0


def prepare(groups: set[str]) -> Path:
    """The interpreter of .venv, with the project (editable, all extras) and these dependency groups installed."""
    # An editable install is not compiled by pip, and where Python may not write bytecode it would be at every start.
    compileall.compile_dir(ROOT / "src", quiet=2)
    python, key, stamp = interpreter(VENV), fingerprint(BUILD_FILES, names=("src/**/*.py",)), read_stamp(VENV)
    have = set(stamp.get("groups", ()))
    same_build = stamp.get("key") == key and python.exists()
    if same_build and groups <= have:
        return python
    claim(VENV)
    if not works(python):
        make_venv(VENV)
    # Without a stamp the next call installs again, should this one be cut short.
    (VENV / STAMP).unlink(missing_ok=True)
    project = [] if same_build else ["--editable", ".[all]"]
    say("installing into .venv" + ("" if stamp else ": about a minute the first time"))
    pip_install(VENV, [python, "-m", "pip"], [*project, *requirements(groups if same_build else groups | have)])
    kernels = stamp["kernels"] if same_build else which_kernels(VENV)
    release(VENV, {"key": key, "groups": sorted(groups | have), "kernels": kernels})
    return python


def prepare_pure(python: Path) -> Path:
    """The interpreter of .venv-pure: Tauscope itself installed where no compiler works, everything else from .venv."""
    pure, key = interpreter(PURE), fingerprint((*BUILD_FILES, "src/**/*"))
    if read_stamp(PURE).get("key") == key and pure.exists():
        return pure
    claim(PURE)
    make_venv(PURE, "--without-pip")
    no_compiler = shutil.which("false") or "no-compiler"
    say("installing into .venv-pure, without a compiler")
    what = ["--no-deps", "--config-settings=build-dir=build/pure", "."]
    variables = {"CC": no_compiler, "CXX": no_compiler, "TAUSCOPE_PURE": ""}
    pip_install(PURE, [python, "-m", "pip", "--python", pure], what, variables)
    # A plain path line, so that the .pth files of .venv, and with them its own Tauscope, are not read.
    (packages(PURE) / "shared.pth").write_text(f"{packages(VENV)}\n", encoding="utf-8")
    question = "import importlib.util as u, tauscope as t; print(t.__file__, u.find_spec('tauscope._kernels'))"
    answer = subprocess.run([pure, "-I", "-c", question], capture_output=True, text=True).stdout.strip()
    if answer != f"{packages(PURE) / 'tauscope' / '__init__.py'} None":
        raise Stop(f".venv-pure should hold Tauscope without kernels, but has: {answer or 'none'}; see {PURE / LOG}.")
    release(PURE, {"key": key})
    return pure


def claim(venv: Path) -> None:
    """Leaves a locked mark while an environment is made; an unlocked one tells of an install that was cut short."""
    mark = venv / MARK
    cut_short = mark.exists()
    venv.mkdir(exist_ok=True)
    LOCKS[venv] = mark.open("a", encoding="utf-8")
    try:
        import fcntl

        fcntl.flock(LOCKS[venv], fcntl.LOCK_EX | fcntl.LOCK_NB)
    except ImportError:  # Windows: two at a time are not noticed
        pass
    except OSError:
        raise Stop(f"another run.py is installing into {venv.name}; wait until it is done.") from None
    if cut_short:
        say(f"an earlier install into {venv.name} was cut short: starting over")
        empty(venv)


def release(venv: Path, stamp: dict[str, Any] | None = None) -> None:
    if stamp:
        (venv / STAMP).write_text(json.dumps(stamp), encoding="utf-8")
    LOCKS.pop(venv).close()
    (venv / MARK).unlink()


def works(python: Path) -> bool:
    """Whether there is a usable environment of the Python that runs this file, whoever made it."""
    question = "import pip, sys; print(*sys.version_info[:2])"
    try:
        answer = subprocess.run([python, "-c", question], capture_output=True, text=True).stdout
    except OSError:
        return False
    return answer.split() == [str(part) for part in sys.version_info[:2]]


def make_venv(venv: Path, *options: str) -> None:
    if not importlib.util.find_spec("venv") or not importlib.util.find_spec("ensurepip"):
        release(venv)
        raise Stop("this Python has no venv or ensurepip; on Debian and Ubuntu: apt install python3-venv.")
    say(f"making {venv.name}")
    empty(venv)
    base = getattr(sys, "_base_executable", None) or sys.executable
    made = subprocess.run([base, "-m", "venv", *options, venv], capture_output=True, text=True, env=environment())
    if made.returncode:
        release(venv)
        raise Stop(f"python -m venv failed: {tail(made.stdout + made.stderr)}")


def pip_install(venv: Path, pip: list[str | Path], what: list[str], variables: dict[str, str] | None = None) -> None:
    log, started = venv / LOG, time.monotonic()
    with log.open("w", encoding="utf-8") as output:
        command = [*pip, "install", "--verbose", "--disable-pip-version-check", "--no-input", *what]
        code = run(command, stdout=output, stderr=subprocess.STDOUT, env={**environment(), **(variables or {})})
    if code:
        release(venv)
        raise Stop(f"pip could not install. All that it said is in {log}; its last words:\n{tail(read_log(venv))}")
    say(f"installed in {time.monotonic() - started:.0f} s")


def which_kernels(venv: Path) -> str:
    """`compiled`, `none` (asked for, or no compiler) or `broken` (the compiler works, our C++ does not)."""
    if any((packages(venv) / "tauscope").glob("_kernels.*")):
        return "compiled"
    broken = "CMake build failed" in read_log(venv)
    reason = "the kernels did not compile" if broken else "no C++ compiler and Python headers were found"
    if not os.environ.get("TAUSCOPE_PURE"):
        say(f"{reason} (see {venv / LOG}): the slower NumPy kernels are used. To try again: python3 run.py clean")
    return "broken" if broken else "none"


def requirements(groups: Iterable[str]) -> list[str]:
    table = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["dependency-groups"]
    return [requirement for group in sorted(groups) for requirement in table[group]]


def fingerprint(patterns: Iterable[str], names: Iterable[str] = ()) -> str:
    """Changes when an installation made from these files, here, by this Python, would come out differently.

    Of the files that match `names` only the names count: edits are live, but a new module is found after an
    installation.
    """
    digest = hashlib.sha256(f"{ROOT} {sys.version} {[os.environ.get(name) for name in BUILD_VARIABLES]}".encode())
    for path in sorted({path for pattern in patterns for path in ROOT.glob(pattern)}):
        if path.is_file() and "__pycache__" not in path.parts:
            content = path.read_bytes()
            digest.update(f"{path.relative_to(ROOT)} {len(content)} ".encode() + content)
    digest.update(" ".join(sorted(str(path.relative_to(ROOT)) for name in names for path in ROOT.glob(name))).encode())
    return digest.hexdigest()


def read_stamp(venv: Path) -> dict[str, Any]:
    try:
        stamp = json.loads((venv / STAMP).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return stamp if isinstance(stamp, dict) and not (venv / MARK).exists() else {}


def read_log(venv: Path) -> str:
    return (venv / LOG).read_text(encoding="utf-8", errors="replace")


def packages(venv: Path, kind: str = "purelib") -> Path:
    return Path(sysconfig.get_path(kind, "venv", {"base": str(venv), "platbase": str(venv)}))


def interpreter(venv: Path) -> Path:
    return packages(venv, "scripts") / ("python.exe" if os.name == "nt" else "python")


def environment() -> dict[str, str]:
    """Ours without what would let other Pythons' packages in."""
    return {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTHONHOME")}


def run(command: list[str | Path], **options: Any) -> int:
    sys.stdout.flush()
    return subprocess.run(command, **{"cwd": ROOT, "env": environment(), **options}).returncode


def tail(text: str) -> str:
    return "\n".join(line for line in text.strip().splitlines()[-15:] if not line.startswith("WARNING"))


def remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def empty(venv: Path) -> None:
    for path in venv.iterdir():
        if path.name != MARK:
            remove(path)


def say(text: str) -> None:
    print(f"run.py: {text}", flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
