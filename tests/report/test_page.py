"""The page in a real browser: it shows the findings, and everything can be reached."""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from lxml import etree

from fathom.analysis.analyze import analyze
from fathom.api.tables import ResultsTable, table
from fathom.records.files import read_records, write_json, write_records
from fathom.records.plurals import counted
from fathom.records.questions import Question
from fathom.report.figures import write_figures
from fathom.report.formatting import percent
from fathom.report.pages import PageOptions, write_page
from fathom.report.ranking import controls
from fathom.report.sections import all_figures
from fathom.report.summary import summary
from fathom.runs.folder import MANIFEST, VERDICTS, read_run
from fathom.scoring.keys import Key
from fathom.scoring.verdicts import PartVerdict, Verdict
from fathom.tasks.bench import Bench
from fathom.tasks.errata import Dispute
from tests.browser import problems
from tests.report.conftest import Opening, Sample


def matching(page: Any) -> int:
    """Number of items that the explorer shows as matching."""
    return int(re.sub(r"\D", "", page.inner_text(".status").split(" of ")[0]))


def wait_matching(page: Any, count: int) -> None:
    page.wait_for_function(
        "n => parseInt(document.querySelector('.status').textContent.replace('All ', '').replace(/,/g, '')) === n",
        arg=count,
    )


def test_the_headline_shows_every_run_with_its_interval(sample: Sample, opening: Opening) -> None:
    with opening(sample.page) as (page, seen):
        rows = page.query_selector_all("table.headline tbody tr")
        aside = controls(sample.analysis.findings)
        assert len(aside) == 3
        runs = sorted(
            sample.analysis.findings.runs, key=lambda run: (run.info.name in aside, -run.overall.accuracy.value)
        )
        assert len(rows) == len(runs)
        for row, run in zip(rows, runs, strict=True):
            said = row.inner_text()
            assert run.info.name in said
            assert percent(run.overall.accuracy.value) in said
            assert percent(run.overall.accuracy.low) in said
            assert row.query_selector("td[data-name=errors]").inner_text() == str(run.overall.counts.errors)
            bar, point = row.query_selector(".interval .range"), row.query_selector(".interval .point")
            assert bar.bounding_box()["x"] <= point.bounding_box()["x"] + 6
        assert page.inner_text("h1") == summary(sample.analysis.findings)[0]
        assert seen.nothing(), seen


def test_every_section_is_there_and_named_in_the_navigation(sample: Sample, opening: Opening) -> None:
    with opening(sample.page) as (page, _):
        ids = [section.get_attribute("id") for section in page.query_selector_all("main > section")]
        wanted = [
            "headline",
            "comparisons",
            "lengths",
            "breakdowns",
            "heat",
            "tables",
            "patterns",
            "causes",
            "loss-stages",
            "cost",
            "baselines",
        ]
        assert [one for one in ids if one in wanted] == wanted
        assert {"closed-book", "explorer", "notes"} <= set(ids)
        assert [link.get_attribute("href") for link in page.query_selector_all("nav a")] == [f"#{one}" for one in ids]


def test_the_page_is_one_small_file_without_external_resources(sample: Sample) -> None:
    text = sample.page.read_text()
    assert sample.written.parts == 0
    assert sample.written.bytes == len(text.encode()) < 3_000_000
    assert not re.search(r"(src|href)=\"(?!data:|#)", text)
    assert "default-src 'none'" in text


def test_the_policy_blocks_scripts_and_requests(sample: Sample, opening: Opening) -> None:
    with opening(sample.page) as (page, _):
        stopped = page.evaluate(
            """async () => {
              const script = document.createElement('script');
              script.textContent = 'window.ran = 1';
              document.body.append(script);
              const image = new Image();
              image.src = 'http://127.0.0.1:9/x.png';
              let fetched = 'refused';
              try { await fetch('http://127.0.0.1:9/'); fetched = 'sent'; } catch (error) { fetched = String(error); }
              return [window.ran === undefined, fetched.includes('Failed') || fetched.includes('refused')];
            }"""
        )
        assert stopped == [True, True]


def test_filter_counts_match_the_findings(sample: Sample, opening: Opening) -> None:
    items = sample.analysis.items
    with opening(sample.page) as (page, seen):
        assert matching(page) == len(next(iter(items.values())))
        names = [run.info.name for run in sample.analysis.findings.runs]
        place = names.index("meadow")
        page.select_option("#filter-run", str(place))
        page.select_option("#filter-outcome", "i")
        wrong = [item for item in items["meadow"] if item.outcome == "incorrect"]
        wait_matching(page, len(wrong))
        cause = next(one.candidates[0].cause for one in wrong if not one.unclear)
        page.select_option("#filter-cause", cause)
        wait_matching(page, sum(not one.unclear and one.candidates[0].cause == cause for one in wrong))
        page.click(".clear")
        wait_matching(page, len(items["meadow"]))
        pattern = next(name for one in wrong for name in one.patterns)
        page.select_option("#filter-pattern", pattern)
        having = {one.question_id for item in items.values() for one in item if pattern in one.patterns}
        wait_matching(page, len(having))
        page.click(".clear")
        page.select_option("#filter-outcome", "differ")
        outcomes: dict[str, set[bool]] = {}
        for some in items.values():
            for one in some:
                outcomes.setdefault(one.question_id, set()).add(one.outcome == "correct")
        wait_matching(page, sum(len(kinds) == 2 for kinds in outcomes.values()))
        assert seen.nothing(), seen


def test_filters_by_tag_and_words(sample: Sample, opening: Opening) -> None:
    questions = list(Bench(sample.bench).all_questions())
    with opening(sample.page) as (page, _):
        page.select_option("[data-tag=skill]", label="sorting")
        sorting = [question for question in questions if question.tags["skill"] == "sorting"]
        wait_matching(page, len(sorting))
        page.fill("#search", sorting[0].id)
        wait_matching(page, 1)
        page.wait_for_function(
            "words => document.querySelector('.row-words').textContent === words", arg=sorting[0].text
        )
        page.fill("#search", "no such words anywhere")
        wait_matching(page, 0)


def test_ungrouped_tags_are_not_filters(sample: Sample, opening: Opening) -> None:
    assert all("template" in all_question.tags for all_question in Bench(sample.bench).all_questions())
    with opening(sample.page) as (page, _):
        shown = {one.get_attribute("data-tag") for one in page.query_selector_all("[data-tag]")}
        assert "skill" in shown
        assert "template" not in shown


def test_an_open_item_shows_all_its_details(sample: Sample, opening: Opening) -> None:
    bench = Bench(sample.bench)
    items = [(context, item) for context, some in bench.by_context() for item in some]
    number = next(index for index, (_, item) in enumerate(items) if len(item.key.proof.passages) > 2)
    context, item = items[number]
    with opening(sample.page, f"#item-{number + 1}") as (page, seen):
        page.wait_for_selector("#sheet .question")
        assert page.inner_text("#sheet .question") == item.question.text
        assert item.key.proof.program in page.inner_text("#sheet .program")
        assert page.query_selector_all("#sheet .program ol li")
        assert len(page.query_selector_all("#sheet .response")) == len(sample.runs)
        for response, (name, found) in zip(
            page.query_selector_all("#sheet .response"), sample.analysis.items.items(), strict=True
        ):
            said = response.inner_text()
            assert name in said
            assert found[number].outcome in said
            if found[number].candidates:
                assert found[number].candidates[0].cause in said
        marks = page.query_selector_all("#sheet .strip .needed")
        assert len(marks) == len(item.key.proof.passages)
        end = context.places[-1].span.end
        starts = {place.document: place.span.start for place in context.places}
        wanted = sorted((starts[passage.document] + passage.span.start) / end for passage in item.key.proof.passages)
        shown = [float(mark.get_attribute("x")) / 1000 for mark in marks]
        assert shown == pytest.approx(wanted, abs=0.004)
        assert seen.nothing(), seen


def test_an_item_is_disputed_with_a_file_that_the_bench_can_import(
    sample: Sample, opening: Opening, tmp_path: Path
) -> None:
    bench = Bench(sample.bench)
    second = [item.question.id for _, some in bench.by_context() for item in some][1]
    with opening(sample.page, "#item-2", accept_downloads=True) as (page, seen):
        page.wait_for_selector("#sheet .question")
        page.click("#sheet .dispute summary")
        page.click("text=Download the dispute")
        assert "reason" in page.inner_text("#sheet .dispute [role=status]")
        page.fill("#sheet input[name=reason]", 'Two titles tie: "A" and <b>B</b>')
        page.fill("#sheet input[name=by]", "Eve")
        with page.expect_download() as downloaded:
            page.click("text=Download the dispute")
        assert f"--import dispute-{second}.jsonl" in page.inner_text("#sheet .dispute")
        file = tmp_path / downloaded.value.suggested_filename
        downloaded.value.save_as(file)
        assert seen.nothing(), seen
    (dispute,) = read_records(file, Dispute)
    assert (dispute.bench, dispute.question_id) == (bench.manifest.fingerprint, second)
    assert (dispute.reason, dispute.by) == ('Two titles tie: "A" and <b>B</b>', "Eve")


def test_every_incorrect_answer_shows_its_candidate_causes(sample: Sample, opening: Opening) -> None:
    found = sample.analysis.items["meadow"]
    place = list(sample.analysis.items).index("meadow")
    with opening(sample.page) as (page, _):
        page.select_option("#filter-run", str(place))
        page.select_option("#filter-outcome", "i")
        wrong = [one for one in found if one.outcome == "incorrect"]
        wait_matching(page, len(wrong))
        page.click(".row")
        for one in wrong:
            page.wait_for_function(
                "id => document.querySelector('#sheet .id')?.textContent === id", arg=one.question_id
            )
            said = page.locator("#sheet .response").nth(place).inner_text()
            assert all(one_cause.cause in said for one_cause in one.candidates[:5])
            assert all(pattern in said for pattern in one.patterns)
            assert "undefined" not in page.inner_text("#sheet")
            page.keyboard.press("j")


def test_keys_move_from_the_first_item(sample: Sample, opening: Opening) -> None:
    """Its index is 0, which is falsy."""
    questions = [item.question.id for _, items in Bench(sample.bench).by_context() for item in items]
    with opening(sample.page) as (page, _):
        page.click(".row")
        for key, wanted in (("j", questions[1]), ("k", questions[0])):
            page.keyboard.press(key)
            page.wait_for_function("id => document.querySelector('#sheet .id')?.textContent === id", arg=wanted)


def test_needed_passages_are_shown_in_their_context(sample: Sample, opening: Opening) -> None:
    from fathom.corpus.store import Corpus

    bench = Bench(sample.bench)
    items = [item for _, some in bench.by_context() for item in some]
    number = next(index for index, item in enumerate(items) if item.key.proof.passages)
    passage = items[number].key.proof.passages[0]
    with Corpus(bench.corpus_folder) as corpus:
        text = corpus.text(passage.document)
    with opening(sample.page, f"#item-{number + 1}") as (page, _):
        page.wait_for_selector("#sheet .passage")
        found = [
            (mark.text_content(), entry.text_content())
            for entry in page.query_selector_all("#sheet .passage")
            for mark in entry.query_selector_all("mark")
        ]
    assert len(found) == len(items[number].key.proof.passages)
    needed = passage.span.of(text)
    assert any(mark[:60] == re.sub(r"\n\s*\n", "\n", needed)[:60] for mark, _ in found)
    after = re.sub(r"\n\s*\n", "\n", text[passage.span.end : passage.span.end + 40]).strip()[:20]
    assert any(after in whole for _, whole in found)


def test_everything_can_be_done_from_the_keyboard(sample: Sample, opening: Opening) -> None:
    with opening(sample.page) as (page, seen):
        page.keyboard.press("j")
        assert page.evaluate("document.activeElement.className") == "list"
        page.keyboard.press("j")
        page.keyboard.press("Enter")
        page.wait_for_selector("#sheet .question")
        assert page.inner_text("#sheet .eyebrow").upper() == "ITEM 2"
        page.keyboard.press("k")
        page.wait_for_function("() => document.querySelector('#sheet .eyebrow').textContent === 'Item 1'")
        for _ in range(60):
            page.keyboard.press("Tab")
            assert page.evaluate("document.getElementById('sheet').contains(document.activeElement)")
        page.keyboard.press("Escape")
        assert page.is_hidden("#sheet")
        page.keyboard.press("/")
        assert page.evaluate("document.activeElement.id") == "search"
        page.keyboard.type("j?")
        assert page.input_value("#search") == "j?"
        # The first one clears the search, the second one leaves it.
        page.keyboard.press("Escape")
        page.keyboard.press("Escape")
        page.keyboard.press("?")
        assert page.is_visible("#help")
        page.keyboard.press("Escape")
        assert page.is_hidden("#help")
        assert seen.nothing(), seen


def test_light_dark_and_system_themes(sample: Sample, opening: Opening) -> None:
    def paper(page: Any) -> int:
        color = page.evaluate("getComputedStyle(document.body).backgroundColor")
        return sum(map(int, re.findall(r"\d+", color)[:3]))

    with opening(sample.page, color_scheme="dark") as (page, _):
        assert paper(page) < 150
        page.click("#theme")
        assert paper(page) > 600
        page.emulate_media(color_scheme="light")
        page.click("#theme")
        assert paper(page) < 150
    with opening(sample.page, color_scheme="light") as (page, _):
        assert paper(page) > 600
        page.emulate_media(color_scheme="dark")
        page.wait_for_function("() => document.documentElement.dataset.theme === 'dark'")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_and_an_item_are_accessible(scheme: str, sample: Sample, opening: Opening) -> None:
    with opening(sample.page, color_scheme=scheme) as (page, _):
        assert problems(page) == []
        page.keyboard.press("j")
        page.keyboard.press("Enter")
        page.wait_for_selector("#sheet .question")
        assert problems(page) == []


def _middle(element: Any) -> float:
    box = element.bounding_box()
    return float(box["x"] + box["width"] / 2)


def test_a_narrow_screen_needs_no_horizontal_scrolling(sample: Sample, opening: Opening) -> None:
    with opening(sample.page, viewport={"width": 360, "height": 780}) as (page, _):
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
        for drawing in page.query_selector_all(".canvas svg"):
            assert float(drawing.get_attribute("viewBox").split()[2]) == 340
        # The marks of all runs are visible, each in the column of its head.
        row = page.locator("#explorer .row").first
        heads, signs = page.locator("#explorer .sign-head").all(), row.locator(".sign").all()
        for head, sign in zip(heads, signs, strict=True):
            assert abs(_middle(head) - _middle(sign)) < 2
            assert sign.bounding_box()["y"] + sign.bounding_box()["height"] < row.bounding_box()["y"] + 64
        page.keyboard.press("j")
        page.keyboard.press("Enter")
        page.wait_for_selector("#sheet .question")
        assert page.evaluate("document.getElementById('sheet').scrollWidth") <= 360


def test_print_hides_the_controls(sample: Sample, opening: Opening) -> None:
    with opening(sample.page, color_scheme="dark") as (page, _):
        page.emulate_media(media="print")
        for hidden in ("nav", ".top", ".tools", "#explorer"):
            assert page.is_hidden(hidden)
        assert page.is_visible("table.headline")
        assert len(page.pdf()) > 20_000


@pytest.mark.parametrize(
    "names",
    [
        # Chromium lets one page download ten files.
        ("headline", "lengths", "patterns"),
        ("causes", "loss-stages", "cost-price"),
        ("baselines", "comparisons", "by-skill"),
    ],
)
def test_downloads_equal_the_files_of_the_command(
    names: tuple[str, ...], sample: Sample, opening: Opening, tmp_path: Path
) -> None:
    write_figures(all_figures(sample.analysis.findings), tmp_path)
    with opening(sample.page, accept_downloads=True) as (page, seen):
        page.select_option("#choose-comparisons", "1")
        for name in names:
            saved = {}
            for kind in ("CSV", "JSON", "SVG"):
                with page.expect_download() as waiting:
                    page.locator(f"#figure-{name} .tools button", has_text=re.compile(f"^{kind}$")).click()
                saved[kind] = Path(waiting.value.path()).read_bytes()
            assert _numbers(saved["CSV"]) == _numbers((tmp_path / f"{name}.csv").read_bytes()), name
            assert json.loads(saved["JSON"]) == json.loads((tmp_path / f"{name}.json").read_bytes()), name
            assert _texts(saved["SVG"]) == _texts((tmp_path / f"{name}.svg").read_bytes()), name
        assert seen.nothing(), seen


def _numbers(content: bytes) -> list[list[object]]:
    """The cells, with numbers parsed: 1 and 1.0 are equal."""

    def cell(words: str) -> object:
        try:
            return float(words)
        except ValueError:
            return words

    return [[cell(words) for words in row] for row in csv.reader(io.StringIO(content.decode()))]


def _texts(svg: bytes) -> list[str]:
    return ["".join(node.itertext()) for node in etree.fromstring(svg).iter("{*}text")]


def test_heat_map_cells_show_their_items(sample: Sample, opening: Opening) -> None:
    questions = {all_question.id: all_question for all_question in Bench(sample.bench).all_questions()}
    run = next(iter(sample.analysis.items))
    with opening(sample.page) as (page, _):
        page.select_option("#heat-rows", "length")
        page.select_option("#heat-columns", "answer")
        page.select_option("#heat-run", "0")
        keys = {all_key.question_id: all_key.answer.type for all_key in Bench(sample.bench).all_keys()}
        field = [
            item
            for item in sample.analysis.items[run]
            if questions[item.question_id].tags["length"] == "32K" and keys[item.question_id] == "number"
        ]
        control = page.locator(".heat button[data-tip^='32K, number:']")
        assert f"of {len(field)} questions correct" in control.get_attribute("data-tip")
        assert control.inner_text() == f"{100 * sum(one.outcome == 'correct' for one in field) / len(field):.0f}"
        control.click()
        wait_matching(page, len(field))
        page.select_option("#heat-other", "1")
        assert page.query_selector(".heat .d0, .heat .up1, .heat .up2, .heat .up3, .heat .up4")


def shown_cell(page: Any, *labels: str) -> str:
    """The tooltip of a cell of the table on demand."""
    return str(page.locator(f"table.pivot [data-tip^='{', '.join(labels)}:']").get_attribute("data-tip"))


def test_tables_on_the_page_are_those_of_the_command(sample: Sample, opening: Opening, tmp_path: Path) -> None:
    def check(page: Any, made: ResultsTable, said: int) -> None:
        for cell in made.cells:
            tip = shown_cell(page, *cell.row, *cell.column)
            assert cell.value is not None
            value = f"{percent(cell.value, 1)} ({percent(cell.low or 0, 1)} to {percent(cell.high or 0, 1)})"
            assert f": {value}, {counted(cell.questions, 'question')}, {counted(cell.contexts, 'context')}" in tip
        assert len(made.cells) == len(page.query_selector_all("table.pivot tbody td:not(.none)")) == said

    with opening(sample.page) as (page, seen):
        check(page, table(sample.runs, rows=["model", "system"], columns="length"), 18)
        page.select_option("#pivot-macro", "skill")
        check(page, table(sample.runs, rows=["model", "system"], columns="length", macro="skill"), 18)
        page.select_option("#pivot-macro", "")
        page.select_option("#pivot-total", "length")
        made = table(sample.runs, rows=["model", "system"], columns="length", totals="length")
        check(page, made, len(made.cells))
        assert len(made.cells) > 18
        page.select_option("#pivot-total", "")
        page.select_option("#pivot-rows-2", "")
        page.select_option("#pivot-rows", "pattern")
        page.select_option("#pivot-where", "system")
        page.select_option("#pivot-value", "full")
        page.click("#pivot-add")
        made = table(sample.runs, rows="pattern", columns="length", where="system=full")
        check(page, made, len(made.cells))
        rows = [row.inner_text() for row in page.query_selector_all("table.pivot tbody th")]
        assert rows == [row for (row,) in made.content.row_values]
        with page.expect_download() as saved:
            page.click("#tables .tools button >> text=CSV")
        saved.value.save_as(tmp_path / "table.csv")
        lines = list(csv.DictReader(io.StringIO((tmp_path / "table.csv").read_text())))
        assert [float(line["value"]) for line in lines] == pytest.approx([cell.value for cell in made.cells])
        page.click("#tables .chip")
        assert not page.query_selector("#tables .chip")
        assert seen.nothing(), seen


def test_a_table_can_be_made_with_the_keyboard_and_its_cells_list_items(sample: Sample, opening: Opening) -> None:
    with opening(sample.page) as (page, seen):
        page.select_option("#pivot-columns", "answer")
        page.focus("#pivot-rows")
        page.keyboard.type("run")
        page.wait_for_function("() => document.querySelector('#pivot-rows').value === 'run'")
        assert page.evaluate("() => document.activeElement.id") == "pivot-rows"
        page.select_option("#pivot-rows-2", "")
        made = table(sample.runs, rows="run", columns="answer")
        cell = next(one for one in made.cells if one.column == ("number",))
        control = page.locator(f"table.pivot button[data-tip^='{cell.row[0]}, number:']")
        control.focus()
        page.keyboard.press("Enter")
        wait_matching(page, cell.questions)
        page.select_option("#pivot-measure", "tokens")
        assert "tokens" in page.inner_text("#announcer")
        assert seen.nothing(), seen


def test_heat_map_values_keep_their_order(sample: Sample, opening: Opening) -> None:
    with opening(sample.page) as (page, _):
        page.select_option("#heat-rows", "skill")
        page.select_option("#heat-columns", "length")
        skills = [one.inner_text() for one in page.query_selector_all("#heat tbody th")]
        assert skills == sorted(skills)
        assert [one.inner_text() for one in page.query_selector_all("#heat thead th")] == ["16K", "32K", "64K"]


@pytest.mark.parametrize("name", ["patterns", "causes"])
def test_matrix_cells_show_their_items(name: str, sample: Sample, opening: Opening) -> None:
    with opening(sample.page) as (page, _):
        control = page.locator(f"#figure-{name} .field button").nth(1)
        count = int(control.inner_text().split()[0])
        control.click()
        wait_matching(page, count)


def test_marks_have_tooltips(sample: Sample, opening: Opening) -> None:
    with opening(sample.page) as (page, _):
        mark = page.locator("#figure-lengths .mark").first
        mark.hover()
        assert page.is_visible("#tip")
        assert page.inner_text("#tip") == mark.get_attribute("data-tip")
        assert "questions, " in page.inner_text("#tip")


def test_parts_beside_the_page_are_loaded_on_demand(
    sample: Sample, opening: Opening, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fathom.report.items.ITEMS_PER_PART", 20)
    analysis = sample.analysis
    path = tmp_path / "in parts" / "large page.html"
    written = write_page(analysis.findings, analysis.items, path, "In parts", PageOptions(parts=True))
    assert written.parts == -(-written.items // 20)
    assert written.bytes < sample.written.bytes
    with opening(path) as (page, seen):
        assert matching(page) == written.items
        page.wait_for_function("() => document.querySelector('.row-words').textContent.length > 10")
        page.evaluate("document.querySelector('.list').scrollTop = 1e9")
        last = list(read_records(sample.bench / "questions.jsonl", Question))[-1]
        page.wait_for_function(
            "words => [...document.querySelectorAll('.row-words')].some(row => row.textContent === words)",
            arg=last.text,
        )
        page.fill("#search", last.id)
        wait_matching(page, 1)
        page.click(".row")
        page.wait_for_selector("#sheet .question")
        assert page.inner_text("#sheet .id") == last.id
        assert seen.nothing(), seen
    (path.with_name("large page-parts") / "0.js").unlink()
    with opening(path) as (page, _):
        page.wait_for_function(
            "() => document.querySelector('.row-words').textContent.includes('is missing beside this page')"
        )


def test_a_missing_corpus_is_noted(sample: Sample, opening: Opening, tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    analysis = sample.analysis
    written = write_page(analysis.findings, analysis.items, path, "No corpus", PageOptions(corpus=tmp_path / "gone"))
    assert any("without their text" in note for note in written.notes)
    number = next(
        index for index, key in enumerate(read_records(sample.bench / "keys.jsonl", Key), 1) if key.proof.passages
    )
    with opening(path, f"#item-{number}") as (page, _):
        page.wait_for_selector("#sheet .passage")
        assert "Its text is not available" in page.inner_text("#sheet .passages")
        assert "without their text" in page.inner_text("#notes")


def test_measures_and_parts_of_verdicts_are_shown(sample: Sample, opening: Opening, tmp_path: Path) -> None:
    run = tmp_path / "measured"
    shutil.copytree(sample.runs[0], run)
    write_json(run / MANIFEST, read_run(run).model_copy(update={"bench": str(sample.bench)}))
    verdicts = list(read_records(run / VERDICTS, Verdict))
    parts = (PartVerdict(name="first claim", outcome="correct"), PartVerdict(name="second claim", outcome="incorrect"))
    write_records(
        run / VERDICTS,
        (verdict.model_copy(update={"measures": {"precision": 0.25}, "parts": parts}) for verdict in verdicts),
    )
    analysis = analyze([run])
    [summary_of_run] = analysis.findings.runs
    assert summary_of_run.overall.measures["precision"].value == 0.25
    path = tmp_path / "page.html"
    write_page(analysis.findings, analysis.items, path, "Measures")
    with opening(path, "#item-1") as (page, seen):
        page.wait_for_selector("#sheet .response")
        said = page.inner_text("#sheet .response")
        assert "precision 0.25" in said
        assert "Parts: 1 of 2 correct" in said
        assert seen.nothing(), seen


def test_counts_are_shown_only_if_something_was_lost(sample: Sample, opening: Opening, tmp_path: Path) -> None:
    def counts_on(page: Any) -> int:
        return len(page.query_selector_all("table.headline th.counts"))

    complete = [run for run in sample.analysis.findings.runs if run.info.is_complete]
    assert len(complete) < len(sample.runs)
    alone = analyze([Path(complete[0].info.folder)])
    write_page(alone.findings, alone.items, tmp_path / "alone.html", "Complete")
    with opening(tmp_path / "alone.html") as (page, _):
        assert counts_on(page) == 0
    with opening(sample.page) as (page, _):
        assert counts_on(page) == 1, "errors"
