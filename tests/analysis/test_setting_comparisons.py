"""Settings are compared pair by pair: only questions that differ in one tag alone."""

from __future__ import annotations

import json
from pathlib import Path

from fathom.analysis.analyze import AnalysisSettings, analyze
from fathom.report.sections import sections
from fathom.report.setting_comparisons import setting_comparisons
from fathom.tasks.bench import Bench
from tests.analysis.conftest import done
from tests.tasks.citations.conftest import varied

__all__ = ["varied"]
from tests.analysis.conftest import Ran


def test_settings_of_one_run(varied: Bench, tmp_path: Path) -> None:
    """A model that is always correct, except with titles and abstracts in the whole paper."""
    run = tmp_path / "run"
    assert done("run", varied.folder, "--model", "sim/oracle", "--out", run) == 0
    settings = {question.id: question.tags["setting"] for question in varied.all_questions()}
    lines = []
    for line in (run / "responses.jsonl").read_text().splitlines():
        response = json.loads(line)
        del response["crc32"]  # of the line as it was
        if settings[response["question_id"]] == "scope=full, candidate-text=concise":
            response["text"] = "I do not know."
        lines.append(json.dumps(response))
    (run / "responses.jsonl").write_text("\n".join(lines) + "\n")
    findings = analyze([run], settings=AnalysisSettings(causes=False)).findings
    overall = {
        setting_comparison.tag: setting_comparison.comparison
        for setting_comparison in findings.setting_comparisons
        if setting_comparison.comparison.within == "all"
    }
    assert set(overall) == {"scope", "candidate-text"}
    scope, text = overall["scope"], overall["candidate-text"]
    assert (scope.first, scope.second) == ("scope=full", "scope=section")
    assert (text.first, text.second) == ("candidate-text=body", "candidate-text=concise")
    masks = len(settings) // 4
    assert masks >= 3
    for one in (scope, text):
        assert one.items == 2 * masks  # in both settings of the other tag
        assert one.discordant == masks
        assert one.clusters == len({context.documents[0] for context in varied.contexts()})
        assert abs(one.difference.value) == 0.5
    assert scope.only_second == text.only_first == masks
    [figure] = setting_comparisons(findings)
    assert len(figure.rows) == len(findings.setting_comparisons)
    assert "settings" in {section.id for section in sections(findings)}


def test_a_bench_in_one_setting_compares_none(ran_small: Ran) -> None:
    findings = analyze([ran_small("sim/oracle")], settings=AnalysisSettings(causes=False)).findings
    assert findings.setting_comparisons == ()
