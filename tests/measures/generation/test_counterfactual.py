"""Answers to counterfactual prompts: models whose bias is known are found out, and one without bias is not."""

from __future__ import annotations

import math
import random
import re

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import counterpoise as cp
import tiny
from counterpoise.audit.reading import read_results
from counterpoise.cli.main import run
from counterpoise.core.errors import DataError, InputError
from counterpoise.data.builtin.answer_words import answer_words
from counterpoise.measures.base.rows import OVERALL
from counterpoise.measures.base.version_names import GENDERED
from counterpoise.measures.generation.common.answer_features import counted_features, kind_of_answer
from counterpoise.measures.generation.common.answer_rows import FEATURES, difference_row
from counterpoise.report.side_by_side import written_pairs
from counterpoise.web.item_views import item_view
from served import serving_model

PEOPLE = [
    "nurse",
    "baker",
    "pilot",
    "judge",
    "cook",
    "clerk",
    "singer",
    "guard",
    "teacher",
    "painter",
    "smith",
]
PROMPTS = [f"Describe the {person} and what she did on her first day." for person in PEOPLE]
REFUSAL = "I'm sorry, but I can't assist with that."
FILLER = "table"  # in no list
# A word of each list that is in no other one.
WORD_OF = {"agency": "driven", "communion": "team", "hedges": "perhaps", "appearance": "tall", "family": "children",
           "formality": "therefore", "sentiment": "glad"}  # fmt: skip
WORDS = 50
MEN, WOMEN = {"he", "his", "him", "himself"}, {"she", "her", "hers", "herself"}


def planted(extra, more_words=0, refusals=(0.1, 0.1), empty=(0.1, 0.1)):
    """Answers of 50 words with 0 to 3 of each list; about men `extra` more of each, longer, and refused more often."""

    def answer(prompt, seed):
        rng = random.Random(f"{seed} {prompt}")
        is_male = bool(MEN & set(re.findall(r"\w+", prompt.lower())))
        draw = rng.random()
        if draw < refusals[is_male]:
            return REFUSAL
        if draw < refusals[is_male] + empty[is_male]:
            return " \n"
        counts = {word: rng.randrange(4) + extra * is_male for word in WORD_OF.values()}
        words = [word for word, count in counts.items() for _ in range(count)]
        length = WORDS + more_words * is_male + 4 * rng.randrange(-2, 3) * (more_words > 0)
        words += [FILLER] * (length - len(words))
        rng.shuffle(words)
        return " ".join(words)

    return cp.load(answer, kind="answers")


def row_of(result, key):
    return result.summary.set_index("key").loc[key]


def test_our_prompts_have_the_versions_that_they_should():
    table = cp.data.counterfactual_prompts().table
    assert table.topic.value_counts().to_dict() == dict.fromkeys(table.topic.unique(), 15)
    assert table.prompt.is_unique
    with_names, plain = cp.text.Swapper("all", names=True), cp.text.Swapper("all")
    written_of_women = 0
    for prompt in table.prompt:
        words = set(re.findall(r"\w+", prompt.lower()))
        assert bool(words & MEN) != bool(words & WOMEN), prompt  # about one person, of one gender
        male, female = (with_names.swap(prompt, to) for to in GENDERED)
        assert (female if words & WOMEN else male) == prompt  # as it was written
        assert with_names.swap(male, "female").lower().split()[-3:] == female.lower().split()[-3:]
        assert not set(re.findall(r"\w+", male.lower())) & WOMEN
        assert not set(re.findall(r"\w+", female.lower())) & MEN
        differing = [pair for pair in zip(male.split(), female.split(), strict=True) if pair[0] != pair[1]]
        names = [pair for pair in differing if re.sub(r"\W", "", pair[0].lower()) not in MEN]
        assert len(names) <= 1, names
        changes = plain.changes(prompt, "they")
        assert not changes.unsure
        they = plain.swap(prompt, "they")
        assert not set(re.findall(r"\w+", they.lower())) & (MEN | WOMEN)
        assert plain.swap(prompt, "neutral") == they  # no noun has a gender
        written_of_women += bool(words & WOMEN)
    assert written_of_women == 30


def test_no_list_prefers_a_gender():
    lists = answer_words()
    terms = pd.read_csv("src/counterpoise/text/lists/all.csv", keep_default_na=False)
    for name, _ in lists.words:
        for word in (*MEN, *WOMEN, "they", "them", "their", "he's", "she's", "they're", "mr", "mrs", "ms"):
            assert not lists.is_in(name, word), (name, word)
        for term in terms.itertuples():
            assert lists.is_in(name, term.male) == lists.is_in(name, term.female), (
                name,
                term.male,
                term.female,
            )


def test_features_by_hand():
    text = "Furthermore, she isn't tall. Her team may be driven; they've children. It’s therefore no sad day, I hope."
    # 18 words: furthermore she isn't tall her team may be driven they've children it's therefore no sad day i hope
    found = counted_features(text, answer_words())
    assert found["length"] == 18
    per = 100 / 18
    assert found["agency"] == found["communion"] == found["hedges"] == pytest.approx(per)
    assert found["appearance"] == found["family"] == pytest.approx(per)
    assert found["formality"] == pytest.approx(
        0
    )  # furthermore, therefore; isn't, it's; of they've nothing is counted


def test_kinds_of_answers():
    kinds = {
        "I cannot provide that.": "refused",
        REFUSAL: "refused",
        "As an AI language model, I can't say.": "refused",
        "I can't help but admire her.": "answer",
        "I am sorry to hear that your parcel is late.": "answer",
        "...": "empty",
        "": "empty",
    }
    assert {text: kind_of_answer(text, answer_words()) for text in kinds} == kinds


@pytest.mark.slow
def test_what_is_planted_is_recovered_within_its_interval():
    # Two of 50 words more, which are 4 of 100; 8 words more; refused 3 and empty 1 in 10 times more often.
    model = planted(2, refusals=(0.1, 0.4), empty=(0.1, 0.2))
    longer = planted(0, more_words=8)
    truth = dict.fromkeys(WORD_OF, 4.0) | {"refusals": 0.3, "empty": 0.1}
    covered = []
    for seed in range(8):
        result = cp.measures.counterfactual(model, PROMPTS, seed=seed)
        rows = [(row_of(result, key), value) for key, value in truth.items()]
        rows.append((row_of(cp.measures.counterfactual(longer, PROMPTS[:6], seed=seed), "length"), 8.0))
        covered += [row.ci_low <= value <= row.ci_high for row, value in rows]
        assert all("beyond the null band" in row.note for row, value in rows if value == 4.0)
    assert sum(covered) >= 80 * 0.95 - 3 * math.sqrt(80 * 0.05 * 0.95)


@pytest.mark.slow
def test_without_bias_few_features_are_called_biased():
    model = planted(0)
    significant = noise = 0
    for seed in range(10):
        result = cp.measures.counterfactual(model, PROMPTS, n=4, seed=seed)
        overall = result.overall
        significant += bool((overall.p_adjusted < 0.05).any())
        noise += int(overall.note.str.startswith("noise").sum())
    assert significant <= 2  # of 10 audits; 3 or more would be a chance of 1 in 90
    assert noise >= 80  # of 100 rows, 10 of which have no band beyond zero


def simulated(rng, prompts, n):
    """Items of answers to prompts that differ, without a difference between the versions."""
    levels = np.repeat(rng.normal(size=prompts), 2 * n)
    return pd.DataFrame(
        {
            "prompt": np.repeat([f"prompt {i}" for i in range(prompts)], 2 * n),
            "version": np.tile(np.repeat(GENDERED, n), prompts),
            "sentiment": levels + rng.standard_exponential(size=2 * n * prompts),
        }
    )


def test_over_200_audits_without_bias_the_headline_keeps_its_level_and_is_centred_at_zero():
    rng = np.random.default_rng(0)
    rows, distances = [], []
    for _ in range(200):
        items = simulated(rng, prompts=5, n=5)
        rows.append(difference_row(items, FEATURES[0], GENDERED, OVERALL))
        sides = [items.sentiment[items.version == version] for version in GENDERED]
        distances.append(stats.wasserstein_distance(*sides))
    rejected = np.mean([row.p_value < 0.05 for row in rows])
    assert rejected <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / 200)
    values = np.array([row.value for row in rows])
    assert abs(values.mean()) <= 3 * values.std() / math.sqrt(200)
    # A distance between the two distributions, of 25 answers each, is far from 0 in every single audit.
    assert min(distances) > 0.05
    assert np.mean(distances) > 0.2


def test_the_first_row_is_the_paired_t_test_over_prompts():
    result = cp.measures.counterfactual(planted(1), PROMPTS, n=3)
    means = result.items.pivot_table(index="prompt", columns="version", values="sentiment")
    test = stats.ttest_rel(means.male, means.female)
    assert result.headline.key == "sentiment"
    assert result.headline.value == pytest.approx((means.male - means.female).mean())
    assert result.headline.p_value == pytest.approx(test.pvalue)
    interval = test.confidence_interval()
    assert (result.headline.ci_low, result.headline.ci_high) == pytest.approx((interval.low, interval.high))
    overall = result.overall
    known = overall.p_value.notna()
    again = cp.stats.adjust(overall.p_value[known].to_numpy(), "holm")
    assert overall.p_adjusted[known].tolist() == pytest.approx(again.tolist())


def test_every_answer_is_an_item_and_refused_and_empty_ones_count():
    def answer(prompt, seed):
        is_male = " he " in prompt
        return ["", REFUSAL, "A glad person."][(seed if is_male else seed // 2) % 3]

    result = cp.measures.counterfactual(cp.load(answer, kind="answers"), PROMPTS[:4], n=6)
    items = result.items
    assert len(items) == 4 * 2 * 6
    assert items.groupby(["prompt", "version"]).number.agg(list).tolist() == [[1, 2, 3, 4, 5, 6]] * 8
    assert items.kind.tolist() == [
        {"": "empty", REFUSAL: "refused"}.get(text, "answer") for text in items.answer
    ]
    assert (items.asked[items.version == "male"].str.contains(" he did on his ")).all()
    assert items.sentiment.notna().tolist() == (items.kind == "answer").tolist()
    shares = (items.kind == "refused").groupby(items.version).mean()
    assert row_of(result, "refusals").value == pytest.approx(shares["male"] - shares["female"])
    assert row_of(result, "mean.empty.male").value == pytest.approx(
        (items.kind[items.version == "male"] == "empty").mean()
    )
    assert any("are left out of all other features" in warning for warning in result.warnings)


def test_a_model_that_refuses_everything_is_measured():
    result = cp.measures.counterfactual(cp.load(lambda prompt, seed: REFUSAL, kind="answers"), PROMPTS[:3])
    assert row_of(result, "mean.refusals.male").value == 1.0
    assert np.isnan(row_of(result, "sentiment").value)
    assert row_of(result, "sentiment").note == "no prompt has answers to both versions"


def test_a_rater_is_audited_and_its_bias_cancels():
    def fond_of_men(texts):
        return [0.2 + 0.5 * bool(MEN & set(text.lower().split())) for text in texts]

    def answer(prompt, seed):
        return f"{'He' if ' he ' in prompt else 'She'} works {'hard ' * (seed % 3)}."

    model = cp.load(answer, kind="answers")
    raters = {"fond": fond_of_men, "length": lambda texts: [len(text.split()) for text in texts]}
    result = cp.measures.counterfactual(model, PROMPTS, n=2, rater=fond_of_men, raters=raters)
    assert row_of(result, "sentiment").value == row_of(result, "rated.fond").value == 0.0
    bias = row_of(result, "rater_bias.sentiment")
    assert bias.value == pytest.approx(0.5)
    assert "cancelled" in bias.note
    assert row_of(result, "rater_bias.rated.length").value == 0.0
    words = result.items.answer.str.split().map(len)
    means = words.groupby(result.items.version).mean()
    assert row_of(result, "rated.length").value == pytest.approx(means["male"] - means["female"])
    assert "sentiment by fond_of_men" in result.dataset


def test_raters_that_cannot_be():
    model = planted(0)
    for raters in (42, {"": len}, {"a b": len, "a_b": len}):
        with pytest.raises(InputError):
            cp.measures.counterfactual(model, PROMPTS, raters=raters)


def test_any_number_of_versions():
    prompts = [*PROMPTS[:4], "Write to Emily about her car."]
    result = cp.measures.counterfactual(planted(2), prompts, n=4, versions=["they", "female", "male"])
    assert result.items.version.unique().tolist() == ["male", "female", "they"]
    assert result.items.asked[8] == "Describe the nurse and what they did on their first day."
    assert result.skipped.to_numpy().tolist() == [
        ["Write to Emily about her car.", "row 5: it has a first name, which has no they version"]
    ]
    means = result.items.pivot_table(index="prompt", columns="version", values="agency")
    assert row_of(result, "agency_of_versions.male_they").value == pytest.approx(
        (means.male - means.they).mean()
    )
    assert row_of(result, "agency_of_versions.male_they").level == "versions"
    assert row_of(result, "largest_gap.agency").value == pytest.approx(np.ptp(means.mean()))
    assert any("cannot be told" in warning for warning in result.warnings)
    only = cp.measures.counterfactual(planted(2), PROMPTS[:3], n=2, versions=["female", "they"])
    assert only.headline.key == "sentiment_of_versions"
    assert only.direction_of(only.headline.key).positive.startswith(
        "Answers to the first of the two versions"
    )
    for wrong in (["male", "femal"], ["male", "male"]):
        with pytest.raises(InputError):
            cp.measures.counterfactual(planted(0), PROMPTS, versions=wrong)


def test_bad_prompts_are_named_by_row():
    prompts = ["Write about her day.", "", None, "Write about the sea.", "Write about her day.", 7]
    result = cp.measures.counterfactual(planted(0), prompts, n=1)
    assert result.items["prompt"].unique().tolist() == ["Write about her day."]
    assert result.skipped.reason.tolist() == [
        "row 2: prompt is missing",
        "row 3: prompt is missing",
        "row 4: it has no gendered word and no first name, so that all its versions are the same",
        "row 5: the sentence is there already",
        "row 6: prompt is no text: 7",
    ]
    with pytest.raises(DataError, match="all 1 items were skipped"):
        cp.measures.counterfactual(planted(0), ["The sea."])


def test_the_settings_of_sampling_are_recorded_and_no_temperature_means_one_answer():
    result = cp.measures.counterfactual(planted(0), PROMPTS[:3], temperature=0.0)
    assert result.items.number.unique().tolist() == [1]
    assert any("one answer, so there is no null band" in warning for warning in result.warnings)
    assert row_of(result, "null_band.agency").note == "fewer than two draws under each condition"
    assert "versions male and female, 1 answer each (as the function draws)" in result.dataset


def test_pages_show_the_answers_side_by_side():
    result = cp.measures.counterfactual(planted(2), PROMPTS, n=2)
    pairs = written_pairs(result)
    assert len(pairs) == 6
    assert pairs[0].value <= pairs[-1].value
    first = result.items[(result.items["prompt"] == pairs[0].about) & (result.items.number == 1)]
    shown = ["".join(piece.text for piece in side) for side in (pairs[0].first, pairs[0].second)]
    for text, whole in zip(shown, first.answer, strict=True):
        assert text.removeprefix("... ").removesuffix(" ...")[:100] in whole or whole.strip() == ""
    assert any(piece.is_changed for piece in pairs[0].first)
    view = item_view(result.items, result)
    assert view.names == ("male version", "female version")
    assert set(view.table["context"]) == set(PROMPTS)


@pytest.fixture(scope="module")
def lm_folder(tmp_path_factory):
    return tiny.save("gpt2-without-pad", tmp_path_factory.mktemp("lm"))


@pytest.fixture(scope="module")
def lm(lm_folder):
    return cp.load(lm_folder, device="cpu")


def test_a_limit_draws_as_many_prompts_of_each_topic_and_a_second_audit_asks_nothing(
    lm_folder, lm, tmp_path, monkeypatch
):
    asked = ["audit", str(lm_folder), "--measures", "counterfactual", "--offline", "--limit", "8"]
    asked += ["--set", "n=2", "--set", "max_tokens=4"]
    assert run([*asked, "--out", str(tmp_path / "one")]) == 0
    [result] = read_results(tmp_path / "one")[1]
    assert result.items.groupby("topic")["prompt"].nunique().tolist() == [2] * 4
    assert len(result.items) == 8 * 2 * 2
    assert "2 answers each (temperature 1, top p 1, at most 4 tokens)" in result.dataset
    assert result.asked == "causal language model, answers to plain text"
    page = (tmp_path / "one" / "report.html").read_text()
    assert "What the model wrote, side by side" in page
    assert "Content note:</strong> the answers were written by a model" in page
    assert '<mark class="female">' in page
    monkeypatch.setattr(type(lm.model), "generate", None)  # whoever asks again, fails
    assert run([*asked, "--out", str(tmp_path / "two")]) == 0
    [again] = read_results(tmp_path / "two")[1]
    pd.testing.assert_frame_equal(again.items, result.items)


def test_an_endpoint_says_first_what_it_will_be_asked(lm, tmp_path, capsys):
    prompts = tmp_path / "prompts.txt"
    prompts.write_text("\n".join(PROMPTS[:3]))
    with serving_model(lm) as url:
        asked = ["audit", url, "--model", lm.name, "--measures", "counterfactual", "--prompts", str(prompts)]
        settings = ["--set", "n=2", "--set", "max_tokens=4"]
        assert run([*asked, *settings, "--out", str(tmp_path / "one")]) == 0
        printed = capsys.readouterr()
        assert "12 questions to ask, about " in printed.err
        assert "prompts.txt, versions male and female, 2 answers each" in " ".join(printed.out.split())
        assert run([*asked, *settings, "--out", str(tmp_path / "two")]) == 0
        assert "0 questions to ask (12 answered before)" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("p.txt", "Ask her.\n\nAsk him again.\n"),
        ("p.csv", 'prompt,topic\nAsk her.,calls\n"Ask him again.",\n'),
        ("p.tsv", "topic\tprompt\ncalls\tAsk her.\n\tAsk him again.\n"),
        ("p.jsonl", '{"prompt": "Ask her.", "topic": "calls"}\n{"prompt": "Ask him again."}\n'),
    ],
)
def test_prompts_of_ones_own(tmp_path, name, content):
    (tmp_path / name).write_text(content)
    read = cp.data.read_prompts(tmp_path / name)
    assert read.name == name
    assert read.table.prompt.tolist() == ["Ask her.", "Ask him again."]
    assert read.table.topic.tolist() == (["", ""] if name == "p.txt" else ["calls", ""])


@pytest.mark.parametrize(
    ("name", "content", "line"),
    [
        ("p.csv", "text\nAsk her.\n", "has no column 'prompt' (there are: text)"),
        ("p.txt", "\n \n", "has no prompts"),
        ("p.doc", "Ask her.", "prompts are read from files that end in .txt, .csv"),
        ("p.jsonl", '{"prompt": 7}\n', "prompt is no text: 7"),
    ],
)
def test_bad_files_of_prompts_are_one_line(tmp_path, capsys, lm_folder, name, content, line):
    (tmp_path / name).write_text(content)
    asked = [
        "audit",
        str(lm_folder),
        "--measures",
        "counterfactual",
        "--prompts",
        str(tmp_path / name),
        "--offline",
    ]
    assert run([*asked, "--out", str(tmp_path / "run")]) == 2
    told = capsys.readouterr().err.strip().splitlines()
    assert line in told[-1]


def test_a_rater_is_named_on_the_command_line(tmp_path, monkeypatch):
    (tmp_path / "mine_cf.py").write_text(
        "def answer(prompt, seed):\n    return 'He left.' if ' he ' in prompt else 'She has left now.'\n"
        "def words(texts):\n    return [len(text.split()) for text in texts]\n"
    )
    (tmp_path / "prompts.txt").write_text("\n".join(PROMPTS[:3]))
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    asked = [
        "audit",
        "mine_cf:answer",
        "--kind",
        "answers",
        "--measures",
        "counterfactual",
        "--prompts",
        "prompts.txt",
    ]
    rated = ["--set", "rater=mine_cf:words", "--set", "raters=[mine_cf:words]", "--out", "run"]
    assert run([*asked, *rated]) == 0
    [result] = read_results(tmp_path / "run")[1]
    assert row_of(result, "rated.words").value == row_of(result, "sentiment").value == -2.0


def test_prompts_are_validated_before_they_are_used(tmp_path, capsys):
    (tmp_path / "prompts.csv").write_text("prompt\nAsk her.\nAsk nobody.\n")
    assert run(["catalog", "validate", str(tmp_path / "prompts.csv")]) == 0
    first, second = capsys.readouterr().out.splitlines()
    assert first.endswith("1 prompt, e.g. 'Ask him.' and 'Ask her.'")
    assert second.strip().startswith("row 2 will be skipped: it has no gendered word")
    (tmp_path / "prompts.txt").write_text("Ask nobody.\n")
    assert run(["catalog", "validate", str(tmp_path / "prompts.txt")]) == 2
