"""Files and folders of other tools: told by what is in them, read right, refused with file and reason."""

from __future__ import annotations

import json
import tempfile
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tauscope import Ranking, ScoreCube, Scores
from tauscope.errors import FileError, MissingPackageError, TauscopeError
from tauscope.io.columns import read_groups
from tauscope.io.read import detect_format


def put(folder: Path, name: str, data: Any) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(data if isinstance(data, str) else json.dumps(data))
    return path


HARNESS = {
    "results": {
        "mmlu": {"alias": "mmlu", "acc,none": 0.5, "acc_stderr,none": 0.1},
        "mmlu_law": {"alias": " - law", "acc,none": 0.4, "acc_stderr,none": 0.1},
        "gsm8k": {
            "exact_match,strict-match": 0.3,
            "exact_match_stderr,strict-match": "N/A",
            "exact_match,flexible": 0.35,
        },
        "wikitext": {"word_perplexity,none": 11.5},
    },
    "group_subtasks": {"mmlu": ["mmlu_law"], "gsm8k": []},
    "configs": {},
    "versions": {"gsm8k": 3},
    "higher_is_better": {"gsm8k": {"exact_match": True}, "wikitext": {"word_perplexity": False}},
    "config": {"model": "hf", "model_args": "pretrained=org/tiny,dtype=float"},
}
SAMPLES = [
    {"doc_id": i, "doc": {}, "target": "x", "resps": [], "filtered_resps": [], "filter": f, "metrics": ["exact_match"]}
    | {"exact_match": float(i % 2 if f == "strict" else 1)}
    for i in range(3)
    for f in ("strict", "none")
]
INSPECT = {
    "version": 2,
    "status": "success",
    "eval": {"task": "arith", "model": "openai/gpt-x", "created": "2025-01-01"},
    "samples": [
        {"id": 1, "epoch": 1, "scores": {"match": {"value": "C"}, "rubric": {"value": {"style": 3, "fact": 4.5}}}},
        {"id": 1, "epoch": 2, "scores": {"match": {"value": "I"}, "rubric": {"value": {"style": 4, "fact": 4.5}}}},
        {"id": 2, "epoch": 1, "scores": {"match": {"value": "P"}}},
        {"id": 3, "epoch": 1, "scores": {}},
    ],
}


def stat(name: str, mean: float, split: str = "test", **more: Any) -> dict[str, Any]:
    return {"name": {"name": name, "split": split, **more}, "count": 1, "sum": mean, "mean": mean}


HELM_STATS = [
    stat("exact_match", 0.4),
    stat("exact_match", 0.1, perturbation={"name": "typos"}),
    stat("exact_match", 0.9, split="train"),
    stat("f1", 0.6),
]
HELM_INSTANCES = [
    {"instance_id": "id1", "train_trial_index": 0, "stats": [stat("exact_match", 1.0)]},
    {"instance_id": "id1", "train_trial_index": 1, "stats": [stat("exact_match", 0.0)]},
    {"instance_id": "id2", "train_trial_index": 0, "stats": [stat("exact_match", 1.0)]},
    {"instance_id": "id2", "perturbation": {"name": "typos"}, "stats": [stat("exact_match", 0.0)]},
]
ALPACA = [
    {
        "instruction": text,
        "generator_1": "davinci",
        "generator_2": "mine",
        "annotator": "gpt4",
        "preference": preference,
    }
    for text, preference in (
        ("Write a poem.", 2.0),
        ("x" * 99, 1.25),
        ("Write a poem.", 1.0),
        ("Old draw.", 0),
        ("?", None),
    )
]
TASK = {"task_name": "STS", "mteb_version": "1.2.0", "scores": {"test": [{"main_score": 0.7, "hf_subset": "default"}]}}
DOCUMENTS = {
    "lm-eval-results": HARNESS,
    "lm-eval-samples": SAMPLES,
    "inspect": INSPECT,
    "helm-stats": HELM_STATS,
    "helm-instances": HELM_INSTANCES,
    "alpaca-eval": ALPACA,
    "mteb": TASK,
}


@pytest.mark.parametrize("kind", DOCUMENTS)
def test_a_document_is_told_by_its_keys_and_can_be_asked_for(kind: str, tmp_path: Path) -> None:
    path = put(tmp_path, "x.json", DOCUMENTS[kind])
    assert detect_format(path) == kind
    found = ScoreCube.read(path, missing="keep")
    assert found == ScoreCube.read(path, missing="keep", format=kind)
    other = next(name for name in DOCUMENTS if name != kind)
    with pytest.raises(FileError, match=f"does not look like a file of {other}"):
        ScoreCube.read(path, format=other)


@pytest.mark.parametrize("kind", DOCUMENTS)
def test_a_table_is_none_of_them(kind: str, tmp_path: Path) -> None:
    with pytest.raises(FileError, match=f"this file is not what format='{kind}' says"):
        ScoreCube.read(put(tmp_path, "x.csv", "topic,a\n1,2\n"), format=kind)


LEAVES = st.sampled_from(
    [None, True, "x", "", "C", 1, -1, 0.5, 1e308, 10**400, float("nan"), float("inf"), [], {}, [[]]]
)


def spoil(data: Any, draw: Any) -> Any:
    """The same document with a few of its parts replaced by something else."""
    if draw(st.integers(0, 11)) == 0:
        return draw(LEAVES)
    if isinstance(data, dict):
        return {key: spoil(value, draw) for key, value in data.items()}
    return [spoil(value, draw) for value in data] if isinstance(data, list) else data


@pytest.mark.parametrize("kind", DOCUMENTS)
@settings(max_examples=12, deadline=None)
@given(data=st.data())
def test_whatever_stands_in_a_document_it_is_read_or_refused_by_an_error_of_ours(kind: str, data: Any) -> None:
    with tempfile.TemporaryDirectory() as name:
        path = put(Path(name), "x.json", spoil(DOCUMENTS[kind], data.draw))
        for read in (ScoreCube.read, Ranking.read):
            said = str(path)
            try:
                read(path, missing="keep")
            except TauscopeError as error:
                said = str(error)
            assert str(path) in said


def test_results_of_the_harness_have_a_topic_per_task_and_no_groups(tmp_path: Path) -> None:
    cube = ScoreCube.read(put(tmp_path, "results_x.json", HARNESS), missing="keep")
    assert cube.systems == ("org/tiny",)
    assert cube.topics == ("mmlu_law", "gsm8k", "wikitext")
    assert cube.measures == ("acc", "exact_match,strict-match", "exact_match,flexible", "word_perplexity")
    assert cube["acc"].values[0, 0] == 0.4
    notes = " ".join(map(str, cube.notes))
    assert "1 group of tasks left out, for the tasks are there: 'mmlu'" in notes
    assert "lower is better: 'word_perplexity'" in notes


def test_samples_of_the_harness_are_named_by_folder_and_file(tmp_path: Path) -> None:
    text = "".join(json.dumps(line) + "\n" for line in SAMPLES)
    for model in ("org__a", "org__b"):
        put(tmp_path, f"{model}/samples_gsm8k_2025-01-01T10-00-00.123.jsonl", text)
    assert detect_format(tmp_path) == "lm-eval-samples"
    cube = ScoreCube.read(tmp_path)
    assert cube.systems == ("org__a", "org__b")
    assert cube.topics == ("gsm8k:0", "gsm8k:1", "gsm8k:2")
    assert cube["exact_match,strict"].values[:, 0].tolist() == [0, 1, 0]
    assert cube["exact_match"].values[:, 0].tolist() == [1, 1, 1]
    one = put(tmp_path, "alone/run1.jsonl", json.dumps(SAMPLES[0]) + "\n")
    assert ScoreCube.read(one).systems == ("run1",)


def test_inspect_logs_give_letters_their_numbers_and_epochs_their_means(tmp_path: Path) -> None:
    cube = ScoreCube.read(put(tmp_path, "log.json", INSPECT), missing="keep")
    assert cube.systems == ("openai/gpt-x",)
    assert cube.topics == ("arith:1", "arith:2")
    assert cube["match"].values[:, 0].tolist() == [0.5, 0.5]
    assert cube["rubric/style"].values[0, 0] == 3.5
    notes = " ".join(map(str, cube.notes))
    assert "C is 1, I is 0, P is 0.5" in notes
    assert "1 of 4 samples without a score left out" in notes
    assert "means over 1 to 2 epochs" in notes
    bad = json.loads(json.dumps(INSPECT))
    bad["samples"][2]["scores"]["match"]["value"] = "great"
    with pytest.raises(
        FileError, match=r"sample 2: the score 'great' by 'match' is neither a number nor one of C, P, I"
    ):
        ScoreCube.read(put(tmp_path, "bad.json", bad))
    with pytest.raises(FileError, match="has no samples"):
        ScoreCube.read(put(tmp_path, "none.json", INSPECT | {"samples": []}))


def archive(path: Path, members: dict[str, Any]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for name, data in members.items():
            file.writestr(name, data if isinstance(data, (str, bytes)) else json.dumps(data))
    return path


def test_an_archive_of_inspect_is_the_same_log(tmp_path: Path) -> None:
    members = {"header.json": {key: INSPECT[key] for key in ("version", "status", "eval")}}
    members |= {
        f"samples/{one['id']}_epoch_{one['epoch']}.json": one | {"messages": ["x"]} for one in INSPECT["samples"]
    }
    path = archive(tmp_path / "log.eval", members)
    assert detect_format(path) == "inspect"
    assert ScoreCube.read(path, missing="keep") == ScoreCube.read(put(tmp_path, "log.json", INSPECT), missing="keep")
    with pytest.raises(FileError, match="holds more than 0 MiB"):
        ScoreCube.read(path, max_bytes=100)
    broken = archive(tmp_path / "broken.eval", members | {"samples/9_epoch_1.json": "{"})
    with pytest.raises(FileError, match=r"'samples/9_epoch_1\.json' in it is not JSON"):
        ScoreCube.read(broken)
    deep = archive(tmp_path / "deep.eval", members | {"samples/9_epoch_1.json": "[" * 200_000})
    with pytest.raises(FileError, match="is not JSON"):
        ScoreCube.read(deep)


def test_an_archive_packed_in_a_new_way_needs_inspects_own_package(tmp_path: Path) -> None:
    path = archive(tmp_path / "log.eval", {"header.json": INSPECT})
    data = bytearray(path.read_bytes())
    for mark, at in ((b"PK\x03\x04", 8), (b"PK\x01\x02", 10)):
        data[data.index(mark) + at] = 93  # zstd, which zipfile knows from Python 3.14 on
    path.write_bytes(data)
    with pytest.raises((MissingPackageError, FileError)):
        ScoreCube.read(path)


def test_runs_of_helm_are_named_by_their_folders(tmp_path: Path) -> None:
    for model in ("openai_a", "openai_b"):
        put(tmp_path, f"mmlu:subject=law,model={model}/stats.json", HELM_STATS)
        put(tmp_path, f"mmlu:subject=law,model={model}/per_instance_stats.json", HELM_INSTANCES)
    assert detect_format(tmp_path) == "helm-instances"
    items = ScoreCube.read(tmp_path)
    assert items.systems == ("openai_a", "openai_b")
    assert items.topics == ("mmlu:subject=law:id1", "mmlu:subject=law:id2")
    assert items["exact_match"].values[:, 0].tolist() == [0.5, 1.0]
    runs = ScoreCube.read(tmp_path, format="helm-stats")
    assert runs.topics == ("mmlu:subject=law",)
    assert runs["exact_match"].values[0].tolist() == [0.4, 0.4]
    assert runs.measures == ("exact_match", "f1")
    spec = {"name": "mmlu:subject=law,model=openai_a", "adapter_spec": {"model": "openai/a"}}
    put(tmp_path, "mmlu:subject=law,model=openai_a/run_spec.json", spec)
    assert ScoreCube.read(tmp_path).systems == ("openai/a", "openai_b")


def test_annotations_of_alpaca_eval_are_shares_of_wins(tmp_path: Path) -> None:
    scores = Scores.read(put(tmp_path, "annotations.json", ALPACA), missing="keep")
    assert scores.systems == ("mine",)
    assert scores.topics[0] == "Write a poem."
    assert scores.topics[2] == "Write a poem. (2)"
    np.testing.assert_array_equal(scores.values[:, 0], [1.0, 0.25, 0.0, 0.5, np.nan])
    assert len(scores.topics[1]) < 80
    assert "over 'davinci'" in scores.notes[0]


def task(name: str, score: Any, version: str = "1.2.0", **subsets: float) -> dict[str, Any]:
    entries = [{"main_score": value, "hf_subset": key} for key, value in subsets.items()]
    entries = entries or [{"main_score": score, "hf_subset": "default"}]
    return {"task_name": name, "mteb_version": version, "scores": {"test": entries}}


def test_the_newest_revision_of_mteb_counts_and_is_told(tmp_path: Path) -> None:
    for model in ("org__a", "org__b"):
        put(tmp_path, f"{model}/rev1/model_meta.json", {})
        put(tmp_path, f"{model}/rev1/STS.json", task("STS", 0.1, "1.9.0"))
        put(tmp_path, f"{model}/external/STS.json", task("STS", 0.9, "2.0.0"))
        put(tmp_path, f"{model}/external/Old.json", task("Old", 0.5))
    put(tmp_path, "org__a/rev0/STS.json", task("STS", 0.3, "1.10.0"))
    put(tmp_path, "org__a/rev1/Many.json", task("Many", None, en=0.2, de=0.4))
    put(tmp_path, "org__b/rev1/Many.json", task("Many", None, en=0.6, de=0.8, fr=0.9))
    assert detect_format(tmp_path) == "mteb"
    board = Scores.read(tmp_path)
    found = {topic: board.values[i].tolist() for i, topic in enumerate(board.topics)}
    assert found == {"Old": [0.5, 0.5], "STS": [0.3, 0.1], "Many": [pytest.approx(0.3), pytest.approx(0.7)]}
    notes = " ".join(map(str, board.notes))
    assert "3 older results left out" in notes
    assert "org__a 1 from external, 1 from rev0, 1 from rev1" in notes
    assert "not all models have all of Many (2 of 3)" in notes
    one = Scores.read(tmp_path / "org__b")
    assert dict(zip(one.topics, one.values[:, 0], strict=True))["STS"] == 0.1
    with pytest.raises(FileError, match="has no part 'org__b'"):
        Scores.read(f"{tmp_path}#org__b")
    each = Scores.read(tmp_path, format="mteb-subsets", missing="keep")
    assert "Many [fr]" in each.topics
    (tmp_path / "results").mkdir()
    for model in ("org__a", "org__b"):
        (tmp_path / model).rename(tmp_path / "results" / model)
    assert Scores.read(tmp_path).values.tolist() == board.values.tolist()


SEGMENTS = "A\t-1.0\nA\tNone\nA\t-3\nB\t0\nB\t1\nB\t2\n"


def test_scores_of_mt_metrics_eval_are_read_by_file_and_by_folder(tmp_path: Path) -> None:
    put(tmp_path, "human-scores/en-de.mqm.seg.score", SEGMENTS)
    put(tmp_path, "human-scores/en-de.mqm.sys.score", "A\t-2\nB\t1\n")
    put(tmp_path, "human-scores/en-de.mqm.domain.score", "news\tA\t-2\nnews\tB\t1\nchat\tA\t0\nchat\tB\tNone\n")
    put(tmp_path, "metric-scores/en-de/BLEU-refA.seg.score", SEGMENTS.replace("None", "5"))
    put(tmp_path, "documents/en-de.docs", "news\td1\nnews\td1\nchat\td2\n")
    cube = ScoreCube.read(tmp_path, missing="keep")
    assert cube.measures == ("mqm", "BLEU-refA")
    assert cube.topics == ("1", "2", "3")
    np.testing.assert_array_equal(cube["mqm"].values, [[-1, 0], [np.nan, 1], [-3, 2]])
    assert read_groups(tmp_path / "documents" / "en-de.docs") == {"1": "news/d1", "2": "news/d1", "3": "chat/d2"}
    assert Ranking.read(tmp_path / "human-scores" / "en-de.mqm.sys.score").groups() == [("B",), ("A",)]
    domains = Scores.read(tmp_path, format="mt-metrics-domains", missing="keep")
    assert domains.topics == ("news", "chat")
    with pytest.raises(FileError, match=r"en-de\.mqm\.seg\.score:2: system 'A' on topic '2' by mqm has no score"):
        Scores.read(tmp_path / "human-scores" / "en-de.mqm.seg.score")
    put(tmp_path, "metric-scores/he-en/BLEU-refA.seg.score", SEGMENTS)
    with pytest.raises(
        FileError, match=r"several language pairs: 'en-de', 'he-en'\. Name one after the folder, as in '.*#en-de'"
    ):
        ScoreCube.read(tmp_path)
    assert ScoreCube.read(f"{tmp_path}#en-de", missing="keep") == cube
    assert Ranking.read(f"{tmp_path}#he-en", missing="keep").groups() == [("B",), ("A",)]
    assert detect_format(f"{tmp_path}#en-de") == "mt-metrics"
    with pytest.raises(FileError, match="there is no language pair 'de-en'; there are 'en-de', 'he-en'"):
        ScoreCube.read(f"{tmp_path}#de-en")
    assert ScoreCube.read(tmp_path / "metric-scores" / "he-en", missing="keep").measures == ("BLEU-refA",)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("A\t1\nA\t1\t2\n", ":2: 3 columns, where system and score should stand."),
        ("A\t1\nA\thigh\n", ":2: the score 'high' is not a number."),
        ("A\t1\nA\t1\nB\t1\n", ": 'B' has 1 lines and 'A' 2: which segments are they?"),
    ],
)
def test_broken_scores_of_mt_metrics_eval_are_refused(text: str, message: str, tmp_path: Path) -> None:
    path = put(tmp_path, "en-de.mqm.seg.score", text)
    with pytest.raises(FileError) as error:
        Scores.read(path)
    assert str(error.value).startswith(f"{path}{message}")


def test_output_of_trec_eval_of_many_runs_is_one_file(tmp_path: Path) -> None:
    block = "map\t1\t{a}\nmap\t2\t{b}\nrunid\tall\t{name}\nnum_q\tall\t2\nmap\tall\t{mean}\n"
    text = "# trec_eval 10\n" + block.format(a="0.1", b="0.3", name="x", mean="0.2")
    text += block.format(a="0.5", b="0.7", name="y", mean="0.6")
    cube = ScoreCube.read(put(tmp_path, "all.eval", text))
    assert cube.systems == ("x", "y")
    assert cube["AP"].values.tolist() == [[0.1, 0.5], [0.3, 0.7]]
    assert cube.notes == ("all.eval: output of trec_eval -q of 2 runs, named by their runid",)
    again = text.replace("\ty\n", "\tx\n")
    with pytest.raises(FileError, match=r":7: 2 runs one after the other, and the one that begins here is called 'x'"):
        ScoreCube.read(put(tmp_path, "again.eval", again))


def test_comments_are_left_out_of_what_autojudge_writes(tmp_path: Path) -> None:
    path = put(tmp_path, "a.tot", "# made by a judge\nrun1 map 1 0.5\nrun2 map 1 0.25\n# end\nrun1 map all 0.5\n")
    assert detect_format(path) == "tot"
    assert ScoreCube.read(path).values.tolist() == [[[0.5, 0.25]]]
    records = [
        {"run_id": run, "topic_id": "1", "measure": "map", "value": value} for run, value in (("a", 0.5), ("b", 1))
    ]
    lines = put(tmp_path, "a.jsonl", "".join(json.dumps(one) + "\n" for one in records))
    assert ScoreCube.read(lines).systems == ("a", "b")
