"""What the bench needs and installs itself: a Python environment, R with MASS, and the release binary."""
import os
import shutil
import subprocess
import sys
import venv

from cells import HERE, PYTHON, ROOT


def everything(only):
    python()
    if {"classical", "nonmetric"} & set(only):
        r()
    build()
    (HERE / "cache").mkdir(exist_ok=True)


def python():
    if not PYTHON.exists():
        say("making bench/.venv")
        venv.create(HERE / ".venv", with_pip=True)
    if not imports("numpy", "scipy", "sklearn"):
        pip("numpy", "scipy", "scikit-learn", check=True)
    if not imports("tapkee") and not (HERE / ".venv" / "no-tapkee").exists():
        pip("tapkee", check=False)
        if not imports("tapkee"):
            say("tapkee could not be installed; its lines are left out")
            (HERE / ".venv" / "no-tapkee").touch()


def imports(*modules):
    code = "import " + ", ".join(modules)
    return subprocess.run([PYTHON, "-c", code], capture_output=True).returncode == 0


def pip(*packages, check):
    say("installing " + ", ".join(packages))
    subprocess.run([PYTHON, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *packages], check=check,
                   stderr=None if check else subprocess.DEVNULL)


def r():
    """R from the distribution, if it is not there and we may: otherwise its lines are left out."""
    if have_r():
        return
    if shutil.which("apt-get") is None or os.geteuid() != 0:
        say("R with MASS is missing, and cannot be installed from here (apt-get as root): its lines are left out")
        return
    say("installing R and MASS")
    env = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    install = ["apt-get", "install", "--yes", "--quiet", "--no-install-recommends", "r-base-core", "r-cran-mass"]
    for command in (["apt-get", "update", "--quiet"], install):
        done = subprocess.run(command, env=env, capture_output=True, text=True)
    if not have_r():
        say("R could not be installed, its lines are left out: " + done.stderr.strip()[-200:])


def have_r():
    try:
        return subprocess.run(["Rscript", "-e", "library(MASS)"], capture_output=True).returncode == 0
    except FileNotFoundError:
        return False


def build():
    say("cargo build --release")
    subprocess.run(["cargo", "build", "--release", "--quiet", "-p", "nearer-cli"], cwd=ROOT, check=True)


def say(text):
    print(f"bench: {text}", file=sys.stderr, flush=True)
