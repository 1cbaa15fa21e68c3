"""Builds the package `locdyn` for pip: configures and builds it by CMake, and packs what comes out as a wheel.

PEP 517 and 427. It needs what `./dev build` needs, cmake, g++, pybind11 and the libraries, and no Python package. The
build is made anew in a folder of its own unless `--config-settings=build-dir=DIR` names one to be kept;
`--config-settings=cmake=-DOPTION=VALUE` passes options, several parted by ";".
"""

import base64
import hashlib
import io
import os
import re
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SUMMARY = "Frictional contact between many bodies by sparse local dynamics"


def _version():
    text = (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
    found = re.search(r"project\(locdyn VERSION ([0-9.]+)", text)
    if found is None:
        raise RuntimeError("CMakeLists.txt: expected project(locdyn VERSION …), found none")
    return found.group(1)


def _metadata():
    return (
        f"Metadata-Version: 2.1\nName: locdyn\nVersion: {_version()}\nSummary: {SUMMARY}\n"
        "License: Apache-2.0\nRequires-Python: >=3.9\nRequires-Dist: numpy\nRequires-Dist: scipy\n\n"
    )


def _tag():
    version = f"cp{sys.version_info.major}{sys.version_info.minor}"
    return f"{version}-{version}-{sysconfig.get_platform().replace('-', '_').replace('.', '_')}"


def _build(folder, settings):
    """The package in `folder`/python/locdyn."""
    options = [option for option in (settings.get("cmake") or "").split(";") if option]
    off = [f"-DLOCDYN_BUILD_{part}=OFF" for part in ("APP", "TESTS", "BENCHMARKS", "EXAMPLES")]
    configure = ["cmake", "-S", str(ROOT), "-B", str(folder), "-DCMAKE_BUILD_TYPE=Release", "-DLOCDYN_WITH_PYTHON=ON"]
    off.append("-DLOCDYN_WITH_VIEWER=OFF")  # its bundle asks the network for packages
    environment = {**os.environ, "CCACHE_SLOPPINESS": "pch_defines,time_macros"}
    for command in (
        [*configure, f"-DPython_EXECUTABLE={sys.executable}", *off, *options],
        ["cmake", "--build", str(folder), "--parallel", str(os.cpu_count() or 1), "--target", "locdyn_python"],
    ):
        done = subprocess.run(command, env=environment, stdout=sys.stderr)
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(command)}: expected status 0, found {done.returncode}")
    return Path(folder) / "python" / "locdyn"


def _files(package):
    for path in sorted(package.iterdir()):
        if path.suffix in (".py", ".pyi", ".so", ".typed") or path.name == "py.typed":
            yield f"locdyn/{path.name}", path.read_bytes()


def _record_line(name, content):
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(content)}\n"


def _pack(package, wheel, info):
    wheel_text = f"Wheel-Version: 1.0\nGenerator: locdyn\nRoot-Is-Purelib: false\nTag: {_tag()}\n"
    entries = [
        *_files(package),
        (f"{info}/METADATA", _metadata().encode()),
        (f"{info}/WHEEL", wheel_text.encode()),
        (f"{info}/LICENSE", (ROOT / "LICENSE").read_bytes()),
    ]
    record = "".join(_record_line(name, content) for name, content in entries) + f"{info}/RECORD,,\n"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in [*entries, (f"{info}/RECORD", record.encode())]:
            entry = zipfile.ZipInfo(name)
            entry.external_attr = (0o755 if name.endswith(".so") else 0o644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)


def _tracked():
    """What belongs to the sources: what git has, or all but builds where there is no git."""
    listed = subprocess.run(["git", "-C", str(ROOT), "ls-files"], capture_output=True, text=True)
    if listed.returncode == 0:
        return listed.stdout.splitlines()
    files = (path.relative_to(ROOT) for path in sorted(ROOT.rglob("*")) if path.is_file())
    return [str(path) for path in files if path.parts[0] not in ("build", ".cache")]


def get_requires_for_build_wheel(config_settings=None):
    return []


def get_requires_for_build_sdist(config_settings=None):
    return []


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    info = f"locdyn-{_version()}.dist-info"
    folder = Path(metadata_directory) / info
    folder.mkdir()
    (folder / "METADATA").write_text(_metadata(), encoding="utf-8")
    return info


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    settings = config_settings or {}
    name = f"locdyn-{_version()}-{_tag()}.whl"
    with tempfile.TemporaryDirectory() as temporary:
        package = _build(settings.get("build-dir") or temporary, settings)
        _pack(package, Path(wheel_directory) / name, f"locdyn-{_version()}.dist-info")
    return name


def build_sdist(sdist_directory, config_settings=None):
    name = f"locdyn-{_version()}"
    with tarfile.open(Path(sdist_directory) / f"{name}.tar.gz", "w:gz") as archive:
        for path in _tracked():
            archive.add(ROOT / path, f"{name}/{path}", recursive=False)
        information = tarfile.TarInfo(f"{name}/PKG-INFO")
        content = _metadata().encode()
        information.size = len(content)
        archive.addfile(information, io.BytesIO(content))
    return f"{name}.tar.gz"
