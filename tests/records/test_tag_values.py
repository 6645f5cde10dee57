from fathom.records.tag_values import value_order


def test_declared_values_come_first_then_lengths_and_ranges_by_number_then_names() -> None:
    values = ["zebra", "hard", "17-32", "5-8", "easy", "1M", "64K", "apple", "medium", "512K"]
    ordered = sorted(values, key=lambda value: value_order(value, ("easy", "medium", "hard")))
    assert ordered == ["easy", "medium", "hard", "5-8", "17-32", "64K", "512K", "1M", "apple", "zebra"]
