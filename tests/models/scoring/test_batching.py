from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from counterpoise.models.scoring.batching import pack

lengths = st.lists(st.integers(1, 60), max_size=80)


@given(lengths, st.integers(1, 300))
def test_every_item_once_and_no_batch_over_the_budget(lengths, budget):
    batches = [batch.tolist() for batch in pack(lengths, budget)]
    assert sorted(i for batch in batches for i in batch) == list(range(len(lengths)))
    for batch in batches:
        padded = len(batch) * max(lengths[i] for i in batch)
        assert padded <= budget or len(batch) == 1


@given(lengths, st.integers(1, 300))
def test_the_same_as_one_item_at_a_time(lengths, budget):
    batches: list[list[int]] = []
    for i in sorted(range(len(lengths)), key=lambda i: -lengths[i]):
        last = batches[-1] if batches else []
        longest = lengths[last[0]] if last else 0
        full = (len(last) + 1) * longest > budget
        half_full_and_shorter = lengths[i] < longest and 2 * len(last) * longest >= budget
        if not last or full or half_full_and_shorter:
            batches.append([])
        batches[-1].append(i)
    assert [batch.tolist() for batch in pack(lengths, budget)] == batches


@given(lengths, st.integers(1, 300), st.integers(0, 10))
def test_continued_work_forms_the_same_remaining_batches(lengths, budget, done):
    batches = [batch.tolist() for batch in pack(lengths, budget)]
    finished = {i for batch in batches[:done] for i in batch}
    left = [i for i in range(len(lengths)) if i not in finished]
    again = [[left[i] for i in batch] for batch in pack([lengths[i] for i in left], budget)]
    assert again == batches[done:]
