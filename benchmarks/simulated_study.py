"""A human study with scripted people in a browser, whose error rates are known, compared with the arithmetic.

`python benchmarks/simulated_study.py` builds a small bench, creates a study with three answers to each question, and
lets Chromium answer as people who err, give up, and fail control questions at given rates. What `fathom study
--results` computes must be what follows from what they did; over several studies, its intervals must cover the rates.
"""

from __future__ import annotations

import argparse
import sys

from playwright.sync_api import sync_playwright

from _measuring import workplace
from tests.annotate.scripted_people import PEOPLE, simulate
from tests.browser import CHROMIUM, FLAGS
from tests.commands import run_command


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--studies", type=int, default=5)
    parser.add_argument("--per", type=int, default=20, help="questions in each study")
    given = parser.parse_args()
    truth = 1 - sum(one.errors for one in PEOPLE.values()) / len(PEOPLE)
    wrong = covered = 0
    with workplace() as folder, sync_playwright() as started:
        for words in (
            ("generate", "--out", folder / "corpus", "--documents", 48, "--seed", 3),
            ("contexts", folder / "corpus", "--lengths", "64K", "--count", 6),
            ("build", "numeric", folder / "corpus", "--questions", 10, "--out", folder / "bench"),
        ):
            done = run_command(*words)
            if done.returncode:
                print(done.stderr)
                return 1
        browser = started.chromium.launch(executable_path=str(CHROMIUM), args=list(FLAGS))
        for seed in range(given.studies):
            results, expected = simulate(folder / "bench", folder / f"study-{seed}", browser, "family", given.per, seed)
            differences = expected.differences(results)
            wrong += bool(differences)
            found = results.groups[0].accuracy
            covered += found.low <= truth <= found.high
            print(
                f"study {seed}: accuracy {found.value:.3f} ({found.low:.3f}-{found.high:.3f}), true rate {truth:.3f}, "
                f"{results.excluded_rounds} of {results.rounds} rounds excluded, {results.groups[0].gave_up} given up: "
                + ("; ".join(differences) or "as the arithmetic says")
            )
        browser.close()
    print(
        f"{given.studies - wrong} of {given.studies} studies as the arithmetic says; {covered} intervals cover the rate"
    )
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
