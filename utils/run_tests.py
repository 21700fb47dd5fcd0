# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the test suites and adds up their counts: `python utils/run_tests.py --build build`.

Every suite writes a JUnit file; the last line printed is `N passed, N failed` (`, N skipped`),
and the exit status is 1 if anything failed or a suite could not run.
"""

import argparse
import os
import pathlib
import subprocess
import sys
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parent.parent


def run_suite(
    command: list[str], report: pathlib.Path, environment: dict[str, str]
) -> tuple[int, int, int]:
    """Runs `command`, which writes the JUnit file `report`; returns (passed, failed, skipped)."""
    report.unlink(missing_ok=True)
    status = subprocess.run(command, cwd=ROOT, env=environment).returncode
    if not report.exists():
        print(f"{command[0]}: exit status {status} and no report")
        return 0, 1, 0
    cases = list(xml.etree.ElementTree.parse(report).iter("testcase"))
    failed = sum(
        1 for case in cases if case.find("failure") is not None or case.find("error") is not None
    )
    skipped = sum(1 for case in cases if case.find("skipped") is not None)
    if status != 0 and failed == 0:
        print(f"{command[0]}: exit status {status} though no test failed")
        failed = 1
    return len(cases) - failed - skipped, failed, skipped


def cached(build: pathlib.Path, name: str) -> str:
    """The value of a variable of CMake's in a configured build folder."""
    for line in (build / "CMakeCache.txt").read_text().splitlines():
        if line.startswith(f"{name}:"):
            return line.partition("=")[2]
    sys.exit(f"{build}/CMakeCache.txt has no {name}: run make")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--only", choices=["lit", "pytest"], help="run one suite")
    parser.add_argument("--nightly", action="store_true", help="every case where a part is chosen")
    arguments = parser.parse_args()
    build = arguments.build.resolve()
    reports = build / "reports"
    reports.mkdir(parents=True, exist_ok=True)

    environment = dict(os.environ, POSENC_BUILD_DIR=str(build), POSENC_PYTHON=sys.executable)
    if arguments.nightly:
        environment["POSENC_NIGHTLY"] = "1"
    pytest = [sys.executable, "-m", "pytest", "-q", "-rs", "-n", "auto", "test/python"]
    suites = {
        "lit": [cached(build, "LLVM_EXTERNAL_LIT"), "-s", "--timeout", "120", "--xunit-xml-output"],
        "pytest": [*pytest, "--junitxml"],
    }
    totals = (0, 0, 0)
    for name, command in suites.items():
        if arguments.only in (None, name):
            report = reports / f"{name}.xml"
            command = [*command, str(report)] + ([str(build / "test")] if name == "lit" else [])
            totals = tuple(a + b for a, b in zip(totals, run_suite(command, report, environment)))
    passed, failed, skipped = totals
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
